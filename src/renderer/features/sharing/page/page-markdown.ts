/**
 * Markdown of a model as elements: paragraphs, headings, lists, quotes, tables, code, emphasis and links. Raw HTML stays
 * text, images are named and never loaded, and a link shows where it leads.
 */
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { h } from './dom.ts'

/** The elements of a text. */
export function markdownOf(text: string): DocumentFragment {
  const all = document.createDocumentFragment()
  all.append(...blocksIn(text.split(/\r?\n/), 0))
  return all
}

/** A deeper text is shown as it is written. */
const DEEPEST = 8

const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const QUOTE = /^ {0,3}>\s?(.*)$/
const ITEM = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$/
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

function blocksIn(lines: readonly string[], depth: number): readonly Node[] {
  if (depth > DEEPEST) return [h('p', {}, makeVisible(lines.join('\n')))]
  const blocks: Node[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const fence = FENCE.exec(line)
    const heading = HEADING.exec(line)
    if (line.trim() === '') at++
    else if (fence) {
      const end = lines.findIndex((other, index) => index > at && other.trim().startsWith(fence[1] ?? '```'))
      const to = end < 0 ? lines.length : end
      blocks.push(codeBlock(lines.slice(at + 1, to).join('\n')))
      at = to + 1
    } else if (heading) {
      // The headings of the page are those of its parts.
      blocks.push(h('p', { class: 'heading' }, ...inline(heading[2] ?? '')))
      at++
    } else if (RULE.test(line)) {
      blocks.push(h('hr'))
      at++
    } else if (QUOTE.test(line)) {
      const to = endOf(lines, at, (other) => QUOTE.test(other))
      const inner = lines.slice(at, to).map((other) => QUOTE.exec(other)?.[1] ?? '')
      blocks.push(h('blockquote', {}, ...blocksIn(inner, depth + 1)))
      at = to
    } else if (
      line.includes('|') &&
      DIVIDER.test(lines[at + 1] ?? '') &&
      (lines[at + 1] ?? '').includes('-')
    ) {
      const to = endOf(lines, at + 2, (other) => other.includes('|'))
      blocks.push(table(lines.slice(at, to)))
      at = to
    } else if (ITEM.test(line)) {
      const to = endOf(lines, at, (other, index) => isOfList(lines, index, other))
      blocks.push(list(lines.slice(at, to), depth))
      at = to
    } else {
      const to = endOf(lines, at + 1, (other) => !startsBlock(other))
      blocks.push(h('p', {}, ...inline(lines.slice(at, to).join('\n'))))
      at = to
    }
  }
  return blocks
}

function endOf(
  lines: readonly string[],
  from: number,
  belongs: (line: string, index: number) => boolean,
): number {
  let at = from
  while (at < lines.length && belongs(lines[at] ?? '', at)) at++
  return at
}

const startsBlock = (line: string): boolean =>
  line.trim() === '' || [FENCE, HEADING, RULE, QUOTE, ITEM].some((form) => form.test(line))

/** An item, what is indented below it, or an empty line between them. */
function isOfList(lines: readonly string[], index: number, line: string): boolean {
  if (line.trim() === '') return ITEM.test(lines[index + 1] ?? '') || /^\s{2,}\S/.test(lines[index + 1] ?? '')
  return ITEM.test(line) || /^\s{2,}/.test(line) || !startsBlock(line)
}

function list(lines: readonly string[], depth: number): HTMLElement {
  const indent = /^\s*/.exec(lines[0] ?? '')?.[0].length ?? 0
  const items: string[][] = []
  for (const line of lines) {
    const item = ITEM.exec(line)
    if (item && (item[1]?.length ?? 0) <= indent) items.push([item[2] ?? ''])
    else items.at(-1)?.push(line.replace(/^\s{1,4}/, ''))
  }
  const isNumbered = /^\s*\d/.test(lines[0] ?? '')
  const start = /^\s*(\d+)/.exec(lines[0] ?? '')?.[1] ?? null
  return h(
    isNumbered ? 'ol' : 'ul',
    isNumbered && start !== '1' ? { start } : {},
    ...items.map((item) => h('li', {}, ...tight(blocksIn(item, depth + 1)))),
  )
}

/** A single paragraph of an item stands in its line. */
const tight = ([first, ...rest]: readonly Node[]): readonly Node[] =>
  first instanceof HTMLParagraphElement ? [...first.childNodes, ...rest] : first ? [first, ...rest] : rest

function table([head = '', , ...rows]: readonly string[]): HTMLElement {
  const cells = (line: string) =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
  const row = (line: string, tag: 'th' | 'td') =>
    h('tr', {}, ...cells(line).map((cell) => h(tag, {}, ...inline(cell.trim()))))
  return scrolling(
    'Table',
    h('table', {}, h('thead', {}, row(head, 'th')), h('tbody', {}, ...rows.map((line) => row(line, 'td')))),
  )
}

/** Code with its line breaks. */
export function codeBlock(text: string): HTMLElement {
  return scrolling('Code', h('pre', {}, h('code', {}, makeVisible(text))))
}

/** What scrolls sideways can be reached with the keyboard. */
function scrolling(label: string, content: Node): HTMLElement {
  return h('div', { class: 'scrolls', tabindex: 0, role: 'group', 'aria-label': label }, content)
}

/** A longer text would take too long to search for marks. */
const LONGEST = 20_000

const INLINE = new RegExp(
  [
    '(?<ticks>`+)(?<code>[^`](?:[\\s\\S]*?[^`])?)\\k<ticks>(?!`)',
    '!\\[(?<alt>[^\\]]*)\\]\\((?<image>[^()\\s]*)[^()]*\\)',
    '\\[(?<label>[^\\[\\]]*)\\]\\((?<target>[^()\\s]*)[^()]*\\)',
    '\\*\\*(?=\\S)(?<strong>[\\s\\S]*?\\S)\\*\\*',
    '\\*(?=[^\\s*])(?<em>[^*]*?[^\\s*])\\*',
    '(?<!\\w)_(?=[^\\s_])(?<under>[^_]*?[^\\s_])_(?!\\w)',
    '~~(?=\\S)(?<gone>[^~]*?\\S)~~',
    '(?<url>https?:\\/\\/[^\\s<>"\')\\]]+)',
    '\\\\(?<sign>[\\\\`*_{}[\\]()#+.!>~|-])',
  ].join('|'),
  'g',
)

function inline(text: string): readonly Node[] {
  if (text.length > LONGEST) return [new Text(makeVisible(text))]
  const nodes: Node[] = []
  let from = 0
  for (const match of text.matchAll(INLINE)) {
    nodes.push(new Text(makeVisible(text.slice(from, match.index))), ...marked(match.groups ?? {}))
    from = match.index + match[0].length
  }
  nodes.push(new Text(makeVisible(text.slice(from))))
  return nodes
}

function marked(groups: Readonly<Record<string, string | undefined>>): readonly Node[] {
  const { code, alt, image, label, target, strong, em, under, gone, url, sign } = groups
  if (code !== undefined) return [h('code', {}, makeVisible(code))]
  if (image !== undefined) return [h('span', { class: 'image' }, makeVisible(`Image: ${alt} (${image})`))]
  if (target !== undefined) return link(label ?? '', target)
  if (strong !== undefined) return [h('strong', {}, ...inline(strong))]
  if (em !== undefined || under !== undefined) return [h('em', {}, ...inline(em ?? under ?? ''))]
  if (gone !== undefined) return [h('s', {}, ...inline(gone))]
  return url !== undefined ? link(url, url) : [new Text(sign ?? '')]
}

/** The text, and the address where the text is another one. Only https and mailto are links. */
function link(label: string, target: string): readonly Node[] {
  const shown = label === target ? [] : [h('span', { class: 'address' }, makeVisible(` (${target})`))]
  if (!/^(?:https|mailto):/i.test(target)) return [...inline(label), ...shown]
  const open = h(
    'a',
    { href: target, target: '_blank', rel: 'noopener noreferrer' },
    makeVisible(label || target),
  )
  return [open, ...shown]
}
