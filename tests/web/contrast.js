// Every piece of text that can be seen, with the contrast to what lies behind it.
() => {
  const parse = (text) => {
    const found = text.match(/[\d.]+/g).map(Number);
    return { rgb: found.slice(0, 3), alpha: found.length > 3 ? found[3] : 1 };
  };
  const over = (front, back) =>
    front.rgb.map((value, k) => value * front.alpha + back[k] * (1 - front.alpha));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const behind = (node) => {
    const layers = [];
    for (let each = node; each; each = each.parentElement) {
      layers.push(parse(getComputedStyle(each).backgroundColor));
    }
    const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
    return layers.reverse().reduce((back, layer) => over(layer, back), canvas);
  };
  const found = [];
  const add = (node, front, back) => {
    const style = getComputedStyle(node);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    found.push({ text: node.textContent.trim().slice(0, 40), large, ratio: ratio(front, back),
      name: `${node.tagName}.${node.getAttribute("class") || ""}` });
  };
  const visible = (node) => node.getClientRects().length > 0 &&
    getComputedStyle(node).visibility === "visible" && !node.closest(".hidden-text, .skip");
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!own || !visible(node) || node.closest("[disabled]")) continue;
    if (node instanceof SVGElement) {
      const board = node.closest("svg").querySelector(".f-wood"); // of Go or backgammon
      const at = node.getBoundingClientRect(), area = board && board.getBoundingClientRect();
      const [x, y] = [at.left + at.width / 2, at.top + at.height / 2];
      const wood = board && x >= area.left && x <= area.right && y >= area.top && y <= area.bottom
        ? board : null; // what stands beside it is on the page
      const colour = ["black", "white"].find((name) => node.classList.contains(`f-${name}`));
      const stone = colour === "white" ? ".f-black:not(text)" : ".f-white:not(text)";
      const below = board && colour ? node.closest("svg").querySelector(stone) : wood;
      const back = below ? parse(getComputedStyle(below).fill).rgb : behind(node.closest("svg"));
      add(node, parse(getComputedStyle(node).fill).rgb, back);
    } else {
      const back = behind(node);
      add(node, over(parse(getComputedStyle(node).color), back), back);
    }
  }
  return found;
}
