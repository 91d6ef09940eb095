// The example search page without a browser: its script, with as much of a document as it asks for.
// usage: node search_page.js URL QUERY; prints what the page shows, a line for each item.
const [url, query] = process.argv.slice(2);

class Element {
  constructor() { this.children = []; this.textContent = ""; this.value = ""; }
  appendChild(child) { this.children.push(child); return child; }
  replaceChildren() { this.children = []; }
  text() { return this.textContent + this.children.map(child => child.text()).join(""); }
}

async function main() {
  const html = await (await fetch(url)).text();
  const script = html.match(/<script>(.*)<\/script>/s)[1];
  const parts = {ol: new Element(), input: new Element(), form: new Element()};
  const before = parts.ol.appendChild(new Element());
  const page = {querySelector: name => parts[name], createElement: () => new Element()};
  const given = {document: page, addEventListener() {}, location: {search: "?q=" + query},
    fetch: (path, options) => fetch(new URL(path, url), options), console: {warn() {}},
    AbortSignal: {timeout() {}}};  // a busy machine is not a service that is off
  new Function(...Object.keys(given), script)(...Object.values(given));
  for (let n = 0; n < 100 && parts.ol.children.includes(before); ++n) {
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  for (const item of parts.ol.children) console.log(item.text());
}
main();
