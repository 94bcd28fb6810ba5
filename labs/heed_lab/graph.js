// Plays the story of a graph (pictures.py), node by node: `story` stands before it.
const mark = document.querySelector('#mark'), slider = document.querySelector('#at'), play = document.querySelector('#play');
let at = 0, timer = 0;
function show(to) {
  at = Math.min(Math.max(to, 0), story.steps.length - 1);
  const step = story.steps[at], node = story.nodes.find(n => n.number === step.number);
  for (const row of document.querySelectorAll('[data-number]'))
    row.classList.toggle('now', Number(row.dataset.number) === step.number);
  mark.setAttribute('cx', story.points[at][0]);
  mark.setAttribute('cy', story.points[at][1]);
  slider.value = at;
  document.querySelector('#said').textContent = `Step ${at + 1} of ${story.steps.length}, ` +
    (step.forward ? 'recorded: ' : 'backward: ') + `${node.op} (${node.number}), ${(step.bytes / 1048576).toFixed(2)} MiB in use` +
    (step.freed ? `; then ${(step.freed / 1048576).toFixed(2)} MiB are let go` : '');
}
function stop() { clearInterval(timer); timer = 0; play.textContent = 'Play'; }
function start() {
  if (at === story.steps.length - 1) show(0);
  timer = setInterval(() => { show(at + 1); if (at === story.steps.length - 1) stop(); }, 700);
  play.textContent = 'Stop';
}
play.onclick = () => timer ? stop() : start();
document.querySelector('#back').onclick = () => { stop(); show(at - 1); };
document.querySelector('#next').onclick = () => { stop(); show(at + 1); };
slider.oninput = () => { stop(); show(Number(slider.value)); };
document.addEventListener('keydown', event => {
  if (event.target === slider) return;
  if (event.key === 'ArrowRight') show(at + 1);
  else if (event.key === 'ArrowLeft') show(at - 1);
});
show(0);
