/**
 * What a model wrote is hostile until shown otherwise. This step of the markdown pipeline keeps a short list
 * of elements and attributes and drops the rest: links become marks for our own buttons (https, mailto and
 * files of the folder), images become links, raw HTML is already text when it arrives here.
 */
import { fileOfLink, findFileReferences } from './file-references.ts'

interface TextNode {
  type: 'text'
  value: string
}
interface ElementNode {
  type: 'element'
  tagName: string
  properties: Record<string, unknown>
  children: TreeNode[]
}
/** The parts of a syntax tree that are looked at; anything else in it is dropped. */
export type TreeNode =
  | TextNode
  | ElementNode
  | { type: 'root' | 'comment' | 'raw' | 'doctype'; children?: TreeNode[] }

/** Elements that stay, each with the attributes that stay with it. */
const KEPT: ReadonlyMap<string, readonly string[]> = new Map([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'blockquote', 'em', 'strong', 'del', 'br', 'hr'].map(
    (name): [string, readonly string[]] => [name, []],
  ),
  ...['table', 'thead', 'tbody', 'tr', 'sup', 'pre'].map((name): [string, readonly string[]] => [name, []]),
  ['ol', ['start']],
  ['th', ['align']],
  ['td', ['align']],
  ['code', ['className']],
])

/** A plugin for the tree of HTML elements. It changes the tree in place. */
export function lockDown() {
  return (tree: unknown): void => {
    const root = tree as { children: TreeNode[] }
    root.children = cleanAll(root.children, { inCode: false, inLink: false }).map((node) =>
      // Raw HTML between blocks is text without a paragraph of its own.
      node.type === 'text' && node.value.trim() !== '' ? element('p', {}, [node]) : node,
    )
  }
}

interface Place {
  readonly inCode: boolean
  readonly inLink: boolean
}

function cleanAll(nodes: readonly TreeNode[], place: Place): TreeNode[] {
  return nodes.flatMap((node) => clean(node, place))
}

function clean(node: TreeNode, place: Place): TreeNode[] {
  if (node.type === 'text')
    return place.inCode || place.inLink ? [text(node.value)] : withFileLinks(node.value)
  if (node.type !== 'element') return []
  switch (node.tagName) {
    case 'a':
      return cleanLink(node, place)
    case 'img':
      return cleanImage(node, place)
    case 'input':
      return [element('span', { dataTask: node.properties['checked'] === true ? 'done' : 'open' }, [])]
    case 'pre':
      return [element('pre', {}, cleanAll(node.children, { ...place, inCode: true }))]
    case 'li': {
      const isTask = node.children.some((child) => child.type === 'element' && hasTask(child))
      return [element('li', isTask ? { dataTaskItem: true } : {}, cleanAll(node.children, place))]
    }
    default: {
      const kept = KEPT.get(node.tagName)
      const children = cleanAll(node.children, place)
      return kept ? [element(node.tagName, pick(node.properties, kept), children)] : children
    }
  }
}

/** Whether an item begins with a box to tick; it may stand in a paragraph of the item. */
function hasTask(node: ElementNode): boolean {
  const first = node.tagName === 'p' ? node.children[0] : node
  return first?.type === 'element' && first.tagName === 'input'
}

function cleanLink(node: ElementNode, place: Place): TreeNode[] {
  const children = cleanAll(node.children, { ...place, inLink: true })
  const target = String(node.properties['href'] ?? '')
  if (place.inLink || target === '' || target.startsWith('#')) return children
  const url = safeUrl(target)
  if (url !== null) return [element('a', { dataUrl: url }, children)]
  const file = fileOfLink(target)
  if (file) return [fileLink(file.path, file.line, children)]
  // The words stay, and where they would have led is not hidden.
  return [...children, text(` (${target})`)]
}

/** Nothing is ever loaded for it: an address that may be opened becomes a link with the image's words. */
function cleanImage(node: ElementNode, place: Place): TreeNode[] {
  const words = String(node.properties['alt'] ?? '').trim() || 'image'
  const source = String(node.properties['src'] ?? '')
  const url = safeUrl(source)
  if (url !== null && !place.inLink) return [element('a', { dataUrl: url, dataImage: true }, [text(words)])]
  const file = url === null ? fileOfImage(source) : null
  if (file !== null && !place.inLink) return [fileLink(file, null, [text(words)])]
  return [text(`[image: ${words}]`)]
}

function fileOfImage(source: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:/i.test(source) || source.startsWith('//')) return null
  return /\.(?:png|jpe?g|gif|webp|svg)$/i.test(source) ? source : null
}

/** The address as a browser reads it, if its scheme is one of the two that may be opened; null otherwise. */
export function safeUrl(target: string): string | null {
  if (!URL.canParse(target)) return null
  const url = new URL(target)
  const named = url.username !== '' || url.password !== ''
  return (url.protocol === 'https:' && !named) || url.protocol === 'mailto:' ? url.href : null
}

function withFileLinks(value: string): TreeNode[] {
  const found = findFileReferences(value)
  if (found.length === 0) return [text(value)]
  const nodes: TreeNode[] = []
  let start = 0
  for (const one of found) {
    if (one.start > start) nodes.push(text(value.slice(start, one.start)))
    nodes.push(fileLink(one.path, one.line, [text(value.slice(one.start, one.end))]))
    start = one.end
  }
  if (start < value.length) nodes.push(text(value.slice(start)))
  return nodes
}

function fileLink(path: string, line: number | null, children: TreeNode[]): ElementNode {
  return element('a', { dataFile: path, ...(line === null ? {} : { dataLine: String(line) }) }, children)
}

function pick(properties: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => name in properties).map((name) => [name, properties[name]]),
  )
}

const text = (value: string): TextNode => ({ type: 'text', value })

const element = (
  tagName: string,
  properties: Record<string, unknown>,
  children: TreeNode[],
): ElementNode => ({
  type: 'element',
  tagName,
  properties,
  children,
})
