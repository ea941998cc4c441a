// Fills the page: the fit, the history, and the path with its slider.
function fillTable(table, fit) {
  table.replaceChildren();
  const row = (cells, tag, parent) => {
    const line = parent.appendChild(document.createElement("tr"));
    cells.forEach(([text, held]) => {
      const cell = line.appendChild(document.createElement(tag));
      cell.textContent = text;
      if (held) cell.className = "held";
    });
  };
  const names = ["component", "weight", "mean", "std. dev.", "gap to next", "bound"];
  row(names.map((name) => [name]), "th", table.appendChild(document.createElement("thead")));
  const body = table.appendChild(document.createElement("tbody"));
  fit.means.forEach((mean, component) => {
    const numbers = [fit.weights[component], mean, fit.deviations[component]].map((value) => [short(value, 6)]);
    const held = fit.held[component];
    const gap = component < fit.gaps.length ? [[short(fit.gaps[component], 6), held], [fit.bounds[component], held]] : [[""], [""]];
    row([[String(component)], ...numbers, ...gap], "td", body);
  });
}

function showPath(content) {
  const { deltas, fits, bitesAt } = content.path;
  const picture = document.getElementById("path-picture");
  const slider = document.getElementById("delta");
  const names = { x: "δ, the least gap allowed", y: "log-likelihood" };
  const likelihoods = fits.map((fit) => fit.logLikelihood);
  const show = () => {
    const index = Number(slider.value);
    document.getElementById("delta-value").textContent = `δ = ${short(deltas[index])}`;
    drawFit(picture, content, fits[index], viewOf(picture, content, fits));
    fillTable(document.getElementById("path-table"), fits[index]);
    drawTrace(document.getElementById("path-likelihood"), deltas, likelihoods, names, index, bitesAt);
  };
  slider.addEventListener("input", show);
  return show;
}

const content = JSON.parse(document.getElementById("content").textContent);
const showChosen = content.path ? showPath(content) : () => {};

function showAll() {
  const picture = document.getElementById("fit-picture");
  drawFit(picture, content, content.fit, viewOf(picture, content, [content.fit]));
  const { iterations, values } = content.history;
  drawTrace(document.getElementById("history-picture"), iterations, values, { x: "iteration", y: "log-likelihood" });
  showChosen();
}

window.addEventListener("resize", showAll);
showAll();
