// The cookie has the token from now on: it need not stand in the address bar.
if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname);

// A file above the limit is refused here, before any of it is sent; the server has the same limit.
(function () {
  function tooLarge(files) {
    const limit = Number(document.querySelector("meta[name=nproc-upload-limit]").content);
    return Array.from(files || []).find((file) => file.size > limit);
  }
  function refuse(event, file) {
    event.preventDefault();
    event.stopImmediatePropagation();
    Shiny.setInputValue("refused", { name: file.name, size: file.size }, { priority: "event" });
  }
  document.addEventListener("change", function (event) {
    if (event.target.type !== "file") return;
    const file = tooLarge(event.target.files);
    if (file) {
      refuse(event, file);
      event.target.value = "";
    }
  }, true);
  document.addEventListener("drop", function (event) {
    const file = event.dataTransfer && tooLarge(event.dataTransfer.files);
    if (file) refuse(event, file);
  }, true);
})();

// A decimal comma becomes a point where a number has at most the value 1: many browsers drop it, and 0,1 would be 01. In
// whole numbers a comma stands between thousands.
document.addEventListener("beforeinput", function (event) {
  const { target, data } = event;
  if (target.type !== "number" || !target.max || Number(target.max) > 1 || !data || !data.includes(",")) return;
  event.preventDefault();
  document.execCommand("insertText", false, data.replaceAll(",", "."));
}, true);

// Slider and number show one alpha. Only what the user does is sent: setting a value from here fires no event.
document.addEventListener("DOMContentLoaded", function () {
  const slider = document.getElementById("alpha_slider");
  const number = document.getElementById("alpha_number");
  let waiting;
  function send(value) {
    clearTimeout(waiting);
    if (value !== "") Shiny.setInputValue("alpha_moved", Number(value), { priority: "event" });
  }
  slider.addEventListener("input", function () {
    number.value = slider.value;
    clearTimeout(waiting);
    waiting = setTimeout(() => send(slider.value), 150);
  });
  number.addEventListener("change", () => send(number.value));
  Shiny.addCustomMessageHandler("alpha", function (alpha) {
    clearTimeout(waiting);
    slider.value = alpha;
    number.value = alpha;
  });
  Shiny.addCustomMessageHandler("movable", function (movable) {
    document.querySelectorAll(".moves-alpha").forEach((part) => { part.hidden = !movable; });
    document.querySelectorAll(".alpha-stays").forEach((part) => { part.hidden = movable; });
  });
});

// Where the window is narrow, the settings fold away when a fit starts; the summary line opens them again. The progress
// is in view, and then what was fitted. After a refusal the settings are open, and the field that it asks for is in view.
document.addEventListener("DOMContentLoaded", function () {
  const narrow = window.matchMedia("(max-width: 800px)");
  const settings = document.getElementById("settings");
  narrow.addEventListener("change", () => { if (!narrow.matches) settings.open = true; });
  Shiny.addCustomMessageHandler("fit_started", function (_) {
    if (!narrow.matches) return;
    settings.open = false;
    document.querySelector(".fit-bar").scrollIntoView({ block: "nearest" });
  });
  const status = document.getElementById("status");
  let awaited = false;
  Shiny.addCustomMessageHandler("fit_ended", (_) => { awaited = narrow.matches; });
  new MutationObserver(function () {
    if (!awaited || !status.innerText.trim()) return;
    awaited = false;
    status.closest(".card").scrollIntoView({ block: "start" });
  }).observe(status, { childList: true, subtree: true });
  Shiny.addCustomMessageHandler("fit_refused", function (field) {
    settings.open = true;
    const input = document.getElementById(field);
    if (input) input.closest(".shiny-input-container").scrollIntoView({ block: "center" });
  });
});

// A link to a tab opens it and brings it into view.
document.addEventListener("click", function (event) {
  const link = event.target.closest("a[data-tab]");
  if (!link) return;
  event.preventDefault();
  const tab = [...document.querySelectorAll("#tab a")].find((one) => one.dataset.value === link.dataset.tab);
  tab.click();
  tab.scrollIntoView({ block: "start" });
});

// What went wrong is brought into view, wherever the reader is.
document.addEventListener("DOMContentLoaded", function () {
  const problem = document.getElementById("problem");
  new MutationObserver(function () {
    if (problem.innerText.trim()) problem.scrollIntoView({ block: "nearest" });
  }).observe(problem, { childList: true, subtree: true });
});

// Enter after the whole name of a method chooses that method, even where the list came to lie under the mouse and
// another one is marked. Who has moved the mark by an arrow key has chosen it.
(function () {
  let moved = false;
  const isMethods = (event) => event.target.id === "methods-selectized";
  document.addEventListener("input", (event) => { if (isMethods(event)) moved = false; }, true);
  document.addEventListener("keydown", function (event) {
    if (!isMethods(event)) return;
    if (event.key.startsWith("Arrow")) moved = true;
    if (event.key !== "Enter" || moved) return;
    const box = document.getElementById("methods").selectize;
    const option = box.getOption(event.target.value.trim().toLowerCase());
    if (option.length) box.setActiveOption(option);
  }, true);
})();
