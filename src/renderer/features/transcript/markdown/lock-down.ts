/**
 * Treats a model's text as hostile. This step of the markdown pipeline keeps a short list of elements and attributes
 * and drops all others. Links (https, mailto and files of the folder) become marks for the window's own buttons, images
 * become links, and raw HTML is text already.
 */

import { fileOfLink, findFileReferences } from './file-references.ts'
import {
  allText,
  breakable,
  breakableCode,
  type ElementNode,
  element,
  type MarkdownNode,
  text,
} from './tree.ts'
import { isUnfinished } from './unfinished.ts'

/** The allowed elements, each with its allowed attributes. */
const KEPT: ReadonlyMap<string, readonly string[]> = new Map([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'blockquote', 'em', 'strong', 'del', 'br', 'hr'].map(
    (name): [string, readonly string[]] => [name, []],
  ),
  ...['table', 'thead', 'tbody', 'tr', 'sup', 'pre'].map((name): [string, readonly string[]] => [name, []]),
  ['ol', ['start']],
  ['th', ['align']],
  ['td', ['align']],
])

/** A plugin for the tree of HTML elements. It changes the tree in place. */
export function lockDown() {
  return (tree: unknown): void => {
    const root = tree as { children: MarkdownNode[] }
    root.children = cleanAll(root.children, { code: 'none', inLink: false, depth: 0 }).map((node) => {
      // Raw HTML between blocks is text without a paragraph of its own.
      if (node.type === 'text' && node.value.trim() !== '') return element('p', { dir: 'auto' }, [node])
      // The first letters of each block decide its direction. Code always runs from left to right.
      if (node.type === 'element' && node.tagName !== 'pre') node.properties['dir'] = 'auto'
      return node
    })
  }
}

interface Position {
  /** In inline code, or in a block of code, which keeps its text in one piece. */
  readonly code: 'none' | 'inline' | 'block'
  readonly inLink: boolean
  readonly depth: number
}

/** Elements within each other. The page runs out of stack on thousands; deeper elements become their text. */
const MOST_DEPTH = 60

function cleanAll(nodes: readonly MarkdownNode[], position: Position): MarkdownNode[] {
  if (position.depth >= MOST_DEPTH) return [text(allText(nodes))]
  const below = { ...position, depth: position.depth + 1 }
  return nodes.flatMap((node) => clean(node, below))
}

function clean(node: MarkdownNode, position: Position): MarkdownNode[] {
  if (node.type === 'text') return cleanText(node.value, position)
  if (node.type !== 'element') return []
  switch (node.tagName) {
    case 'a':
      return cleanLink(node, position)
    case 'img':
      return cleanImage(node, position)
    case 'input':
      return [element('span', { dataTask: node.properties['checked'] === true ? 'done' : 'open' }, [])]
    case 'pre':
      return [element('pre', {}, cleanAll(node.children, { ...position, code: 'block' }))]
    case 'code': {
      const code = position.code === 'none' ? 'inline' : position.code
      return [
        element('code', pick(node.properties, ['className']), cleanAll(node.children, { ...position, code })),
      ]
    }
    case 'li': {
      const isTask = node.children.some((child) => child.type === 'element' && hasTask(child))
      return [element('li', isTask ? { dataTaskItem: true } : {}, cleanAll(node.children, position))]
    }
    default: {
      const kept = KEPT.get(node.tagName)
      const children = cleanAll(node.children, position)
      return kept ? [element(node.tagName, pick(node.properties, kept), children)] : children
    }
  }
}

function cleanText(value: string, { code, inLink }: Position): MarkdownNode[] {
  if (code === 'block') return [text(value)]
  const withBreaks = code === 'inline' ? breakableCode : breakable
  return inLink ? withBreaks(value) : withFileLinks(value, withBreaks)
}

/** Whether a list item begins with a checkbox, which may be inside a paragraph. */
function hasTask(node: ElementNode): boolean {
  const first = node.tagName === 'p' ? node.children[0] : node
  return first?.type === 'element' && first.tagName === 'input'
}

function cleanLink(node: ElementNode, position: Position): MarkdownNode[] {
  const children = cleanAll(node.children, { ...position, inLink: true })
  const target = String(node.properties['href'] ?? '')
  if (position.inLink || target === '' || target.startsWith('#')) return children
  const url = safeUrl(target)
  if (url !== null) return [element('a', { dataUrl: url }, children)]
  const file = fileOfLink(target)
  if (file) return [fileLink(file.path, file.line, children)]
  const shown = allText(children)
  if (isUnfinished(target) || target === shown || target === `http://${shown}`) return children
  // Keep the link text, and show the blocked address.
  return [...children, text(` (${target})`)]
}

/** Images are never loaded. An allowed address becomes a link with the image's description. */
function cleanImage(node: ElementNode, position: Position): MarkdownNode[] {
  const alt = String(node.properties['alt'] ?? '').trim() || 'image'
  const source = String(node.properties['src'] ?? '')
  if (isUnfinished(source)) return []
  const url = safeUrl(source)
  if (url !== null && !position.inLink) return [element('a', { dataUrl: url, dataImage: true }, [text(alt)])]
  const file = url === null ? fileOfImage(source) : null
  if (file !== null && !position.inLink) return [fileLink(file, null, [text(alt)])]
  return [text(`[image: ${alt}]`)]
}

function fileOfImage(source: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(source) || source.startsWith('//')) return null
  return /\.(?:png|jpe?g|gif|webp|svg)$/i.test(source) ? source : null
}

/** The address as a browser parses it, if its scheme is allowed; null otherwise. */
export function safeUrl(target: string): string | null {
  if (!URL.canParse(target)) return null
  const url = new URL(target)
  const named = url.username !== '' || url.password !== ''
  return (url.protocol === 'https:' && !named) || url.protocol === 'mailto:' ? url.href : null
}

function withFileLinks(value: string, withBreaks: (text: string) => MarkdownNode[]): MarkdownNode[] {
  const nodes: MarkdownNode[] = []
  let start = 0
  for (const one of findFileReferences(value)) {
    if (one.start > start) nodes.push(...withBreaks(value.slice(start, one.start)))
    nodes.push(fileLink(one.path, one.line, breakable(value.slice(one.start, one.end))))
    start = one.end
  }
  if (start < value.length) nodes.push(...withBreaks(value.slice(start)))
  return nodes
}

function fileLink(path: string, line: number | null, children: MarkdownNode[]): ElementNode {
  return element('a', { dataFile: path, ...(line === null ? {} : { dataLine: String(line) }) }, children)
}

function pick(properties: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => name in properties).map((name) => [name, properties[name]]),
  )
}
