// Marks boxes that scroll sideways. Sorts the rows of a table by the column that is clicked: by data-v, numbers that are
// missing last, or else by text; a second click turns the order around, a third restores the first one.
"use strict";
document.documentElement.classList.add("script");
const boxes = document.querySelectorAll(".scroll");
const markBoxes = () => {
  for (const box of boxes) box.classList.toggle("more", box.scrollWidth > box.clientWidth + 1);
};
addEventListener("resize", markBoxes);
markBoxes();
for (const table of document.querySelectorAll("table.numbers")) {
  const body = table.tBodies[0], original = [...body.rows];
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const before = head.getAttribute("aria-sort");
    const next = before === "ascending" ? "descending" : before === "descending" ? "" : "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    if (next) head.setAttribute("aria-sort", next);
    table.classList.toggle("sorted", next !== "");
    const sign = next === "descending" ? -1 : 1;
    const number = head.classList.contains("n");
    const value = row => number ? parseFloat(row.cells[column].dataset.v) : row.cells[column].textContent;
    const compare = (a, b) => {
      const x = value(a), y = value(b);
      if (!number) return sign * x.localeCompare(y);
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
      return sign * (x - y);
    };
    body.append(...(next ? [...original].sort(compare) : original));
  }));
}
