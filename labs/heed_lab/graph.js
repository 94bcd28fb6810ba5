// Plays the story of a graph (pictures.py), node by node: `story` stands before it.
const find = words => document.querySelector(words), mark = find('#mark'), slider = find('#at'), play = find('#play');
let timer = 0;
function show(to) {
  slider.value = to;  // not below the first step, nor above the last one
  const at = Number(slider.value), step = story.steps[at], node = story.nodes.find(n => n.number === step.number);
  for (const row of document.querySelectorAll('[data-number]')) row.classList.toggle('now', Number(row.dataset.number) === step.number);
  mark.setAttribute('cx', story.points[at][0]);
  mark.setAttribute('cy', story.points[at][1]);
  find('#said').textContent = `Step ${at + 1} of ${story.steps.length}, ` +
    (step.forward ? 'recorded: ' : 'backward: ') + `${node.op} (${node.number}), ${(step.bytes / 1048576).toFixed(2)} MiB in use` +
    (step.freed ? `; then ${(step.freed / 1048576).toFixed(2)} MiB are let go` : '');
}
function move(by) { show(Number(slider.value) + by); }
function stop() { clearInterval(timer); timer = 0; play.textContent = 'Play'; }
function start() {
  if (slider.value === slider.max) show(0);
  timer = setInterval(() => { move(1); if (slider.value === slider.max) stop(); }, 700);
  play.textContent = 'Stop';
}
play.onclick = () => timer ? stop() : start();
find('#back').onclick = () => { stop(); move(-1); };
find('#next').onclick = () => { stop(); move(1); };
slider.oninput = () => { stop(); show(slider.value); };
document.addEventListener('keydown', event => {
  if (event.target !== slider) move({'ArrowRight': 1, 'ArrowLeft': -1}[event.key] || 0);
});
show(0);
