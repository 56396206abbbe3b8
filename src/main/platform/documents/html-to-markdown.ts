/** The readable part of a web page as markdown. */
import { gfm } from '@joplin/turndown-plugin-gfm'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'

export interface ReadablePage {
  readonly title: string
  /** Links are absolute. Empty for a page without text, such as one that a script fills. */
  readonly markdown: string
}

/** The part of the DOM in use: this program's sources have no types of a browser. */
interface PageElement {
  readonly textContent: string | null
  readonly innerHTML: string
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  remove(): void
  querySelectorAll(selector: string): Iterable<PageElement>
}

interface Page {
  readonly body: PageElement | null
  cloneNode(deep: boolean): Page
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
}

/** An article that leaves out more of the page's text than this is not the page's content. */
const SMALLEST_SHARE = 0.3
const WITHOUT_TEXT =
  'title,script,style,noscript,template,svg,iframe,object,embed,canvas,form,dialog,link,meta'
const AROUND_CONTENT = 'nav,footer,aside,[role=navigation],[role=banner],[hidden],[aria-hidden=true]'

/** `address` is the base of the page's links. Throws for HTML that the parser can't read. */
export function htmlToMarkdown(html: string, address: string): ReadablePage {
  const document = pageOf(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`)
  const base = baseOf(document, address)
  const title = oneLine(document.querySelector('title')?.textContent ?? '')
  for (const part of document.querySelectorAll(WITHOUT_TEXT)) part.remove()
  const whole = document.body?.textContent?.trim().length ?? 0
  const article = new Readability(document.cloneNode(true) as never, {
    charThreshold: 200,
    keepClasses: true,
  }).parse()
  const isContent = (article?.textContent?.trim().length ?? 0) >= whole * SMALLEST_SHARE
  if (article?.content && isContent) {
    const content = pageOf(`<html><body>${article.content}</body></html>`)
    return { title, markdown: markdownOf(content.body, base) }
  }
  for (const part of document.querySelectorAll(AROUND_CONTENT)) part.remove()
  const main = document.querySelector('main,[role=main]')
  const isMain = (main?.textContent?.trim().length ?? 0) >= whole * SMALLEST_SHARE
  return { title, markdown: markdownOf(main && isMain ? main : document.body, base) }
}

const pageOf = (html: string): Page => parseHTML(html).document as unknown as Page

function baseOf(document: Page, address: string): string {
  const given = document.querySelector('base[href]')?.getAttribute('href')
  return given && URL.canParse(given, address) ? new URL(given, address).href : address
}

function markdownOf(element: PageElement | null, base: string): string {
  if (element === null) return ''
  for (const [selector, name] of LINKS)
    for (const link of element.querySelectorAll(selector)) absolute(link, name, base)
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  })
  service.use(gfm)
  // As text: turndown's own parser knows the rows of tables, which linkedom does not.
  const markdown = service
    .turndown(element.innerHTML)
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return withShorterLines(markdown)
}

/** In characters. Read cuts lines of more than 2,000. */
const LONGEST_LINE = 1500

/** A long paragraph goes on in the next line, which means the same in markdown. Code and tables stay. */
function withShorterLines(markdown: string): string {
  let isCode = false
  const lines = markdown.split('\n').map((line) => {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    if (isCode || line.length <= LONGEST_LINE || /^\s*\|/.test(line)) return line
    return line.replace(LONG_PART, '$1\n')
  })
  return lines.join('\n')
}

/** Up to the last space that still fits. */
const LONG_PART = new RegExp(`(.{1,${LONGEST_LINE}}) (?=.)`, 'g')

const LINKS = [
  ['a[href]', 'href'],
  ['img[src]', 'src'],
] as const

/** Links that are no addresses of pages (`data:`, `javascript:`) are removed; their text stays. */
function absolute(link: PageElement, name: string, base: string): void {
  const value = link.getAttribute(name) ?? ''
  const url = URL.canParse(value, base) ? new URL(value, base) : null
  if (url !== null && /^(https?|mailto):$/.test(url.protocol)) link.setAttribute(name, url.href)
  else link.removeAttribute(name)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
