// Fills the page: for each part the fit, what it leaves, the history, and the path with its slider.
const NAMES = ["component", "weight", "mean", "std. dev.", "threshold to next", "gap to next", "bound"];

// The element of a part; the first has no number.
function part(name, number) {
  return document.getElementById(number ? `${name}-${number}` : name);
}

function fillTable(table, fit) {
  table.replaceChildren();
  const row = (cells, tag, parent) => {
    const line = parent.appendChild(document.createElement("tr"));
    cells.forEach(([text, held], index) => {
      const cell = line.appendChild(document.createElement(tag));
      cell.textContent = text;
      cell.dataset.name = NAMES[index];
      if (held) cell.className = "held";
    });
  };
  row(NAMES.map((name) => [name]), "th", table.appendChild(document.createElement("thead")));
  const body = table.appendChild(document.createElement("tbody"));
  fit.cells.forEach((cells, component) => {
    const held = fit.held[component];
    row(cells.map((text, index) => [text, held && index > 4]), "td", body);
  });
}

function showPath(content, number) {
  const { deltas, fits, bitesAt } = content.path;
  const picture = part("path-picture", number);
  const slider = part("delta", number);
  const names = { x: "δ, the least gap allowed", y: "log-likelihood" };
  const likelihoods = fits.map((fit) => fit.logLikelihood);
  const show = () => {
    const index = Number(slider.value);
    part("delta-value", number).textContent = `δ = ${short(deltas[index])}`;
    drawFit(picture, content, fits[index], viewOf(picture, content, fits));
    fillTable(part("path-table", number), fits[index]);
    drawTrace(part("path-likelihood", number), deltas, likelihoods, names, index, bitesAt);
  };
  slider.addEventListener("input", show);
  return show;
}

function partShower(element, number) {
  const content = JSON.parse(element.textContent);
  const showChosen = content.path ? showPath(content, number) : () => {};
  return () => {
    const picture = part("fit-picture", number);
    drawFit(picture, content, content.fit, viewOf(picture, content, [content.fit]));
    if (content.residuals) drawResiduals(part("residual-picture", number), content);
    const { iterations, values } = content.history;
    const names = { x: "iteration", y: "log-likelihood", whole: true };
    drawTrace(part("history-picture", number), iterations, values, names);
    showChosen();
  };
}

const showers = [];
for (let number = 0; part("content", number); number += 1) showers.push(partShower(part("content", number), number));

function showAll() {
  showers.forEach((show) => show());
}

window.addEventListener("resize", showAll);
showAll();
