// Set the chosen colours before the page is drawn. The theme sets the same class when its scripts have loaded.

const chosen = JSON.parse(localStorage.getItem("adminTheme") ?? '"auto"');
const is_dark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.classList.toggle("dark", is_dark);
