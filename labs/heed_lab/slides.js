// One slide of a talk at a time, by keys; the address keeps which.
const slides = [...document.querySelectorAll('section.slide')];
let at = 0;
function show(to) {
  at = Math.min(Math.max(to, 0), slides.length - 1);
  slides.forEach((slide, i) => slide.classList.toggle('here', i === at));
  history.replaceState(null, '', '#' + (at + 1));
}
const moves = {'ArrowRight': 1, 'ArrowDown': 1, 'PageDown': 1, ' ': 1, 'ArrowLeft': -1, 'ArrowUp': -1, 'PageUp': -1, 'Home': -slides.length, 'End': slides.length};
document.addEventListener('keydown', event => {
  if (!(event.key in moves)) return;
  show(at + moves[event.key]);
  event.preventDefault();
});
show((parseInt(location.hash.slice(1)) || 1) - 1);
