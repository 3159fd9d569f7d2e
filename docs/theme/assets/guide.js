/* The switch "side by side": one button, remembered in this browser. Without JavaScript there are tabs. */
(function () {
  "use strict";
  var key = "guide.side-by-side";
  var words = document.documentElement.lang === "zh" ? "并排显示" : "Side by side";

  function stored() {
    try {
      return localStorage.getItem(key) === "yes";
    } catch (error) {
      return false; // storage is refused: the switch still works on this page
    }
  }

  function show(on, button) {
    document.body.classList.toggle("guide-side-by-side", on);
    button.setAttribute("aria-pressed", String(on));
  }

  if (!document.querySelector(".twin")) return;
  var button = document.createElement("button");
  button.type = "button";
  button.className = "guide-sides";
  button.textContent = words;
  document.querySelector(".guide-language").before(button);
  show(stored(), button);
  button.addEventListener("click", function () {
    var on = button.getAttribute("aria-pressed") !== "true";
    show(on, button);
    try {
      localStorage.setItem(key, on ? "yes" : "no");
    } catch (error) {
      return;
    }
  });
})();
