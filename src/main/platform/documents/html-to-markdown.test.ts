import { expect, test } from 'vitest'
import { htmlToMarkdown } from './html-to-markdown.ts'

const article = (text: string) => `<!doctype html><html><head><title>The  guide
 to Foo</title><style>p{color:red}</style></head><body>
<nav><ul><li><a href="/home">Home</a></li></ul></nav>
<main><article><h1>The guide</h1>${text}</article></main>
<footer>Copyright</footer><script>alert("never")</script></body></html>`
const long = `<p>${'Foo is configured with a file, and this sentence makes it an article. '.repeat(12)}</p>`

test('an article becomes markdown with code, tables and absolute links', () => {
  const { title, markdown } = htmlToMarkdown(
    article(`${long}<h2>Install</h2><pre><code class="language-sh">npm i foo
foo --init</code></pre><p>See <a href="../api#x">the API</a>, <a href="javascript:steal()">no link</a>.</p>
<table><thead><tr><th>key</th><th>value</th></tr></thead><tbody><tr><td>a</td><td>1</td></tr></tbody></table>
<p><img src="data:image/png;base64,AAAA" alt="logo"> <img src="/p.png" alt="picture"></p>`),
    'https://docs.example/guide/start',
  )
  expect(title).toBe('The guide to Foo')
  expect(markdown).toContain('Foo is configured with a file')
  expect(markdown).toContain('## Install')
  expect(markdown).toContain('```sh\nnpm i foo\nfoo --init\n```')
  expect(markdown).toContain('[the API](https://docs.example/api#x)')
  expect(markdown).toMatch(/\| key \| value \|\n\| --- \| --- \|\n\| a +\| 1 +\|/)
  expect(markdown).toContain('![picture](https://docs.example/p.png)')
  for (const gone of ['Copyright', 'Home', 'alert', 'color:red', 'base64', 'javascript'])
    expect(markdown).not.toContain(gone)
})

test('a page that is no article keeps its text', () => {
  const rows = Array.from({ length: 30 }, (_, index) => `<li><a href="/p/${index}">Item ${index}</a></li>`)
  const { markdown } = htmlToMarkdown(
    `<html><body><div role="navigation">Menu</div><ul>${rows.join('')}</ul></body></html>`,
    'https://shop.example/',
  )
  expect(markdown.match(/\[Item \d+\]\(https:\/\/shop\.example\/p\/\d+\)/g)).toHaveLength(30)
  expect(markdown).not.toContain('Menu')
})

test('the base of the page holds for its links', () => {
  const { markdown } = htmlToMarkdown(
    `<html><head><base href="https://cdn.example/v2/"></head><body><p>${'x '.repeat(20)}<a href="a">A</a></p></body></html>`,
    'https://docs.example/',
  )
  expect(markdown).toContain('[A](https://cdn.example/v2/a)')
})

test.each([
  ['an empty page', ''],
  ['a page for scripts', '<html><body><div id="root"></div><script>render()</script></body></html>'],
])('%s has no text', (_, html) => {
  expect(htmlToMarkdown(html, 'https://a.example/').markdown).toBe('')
})

test('a fragment and broken HTML are read', () => {
  expect(htmlToMarkdown('<p>One<p>Two <b>bold', 'https://a.example/').markdown).toBe('One\n\nTwo **bold**')
})

test('a long paragraph has lines that Read shows whole; code and tables stay', () => {
  const words = 'some words '.repeat(600).trim()
  const code = `const a = "${'x y '.repeat(600)}"`
  const { markdown } = htmlToMarkdown(
    `<main><p>${words}</p><pre><code>${code}</code></pre></main>`,
    'https://a.example/',
  )
  expect(markdown.replaceAll('\n', ' ')).toContain(words)
  expect(markdown).toContain(code)
  expect(
    markdown
      .split('```')[0]
      ?.split('\n')
      .every((line) => line.length <= 1500),
  ).toBe(true)
})
