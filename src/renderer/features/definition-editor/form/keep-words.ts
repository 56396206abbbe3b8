/** A step of the markdown pipeline that keeps words and their shape: no attributes, no links, no images. */

interface TreeNode {
  readonly type: string
  readonly tagName?: string
  readonly value?: string
  readonly properties?: Readonly<Record<string, unknown>>
  children?: TreeNode[]
}

const KEPT: ReadonlySet<string> = new Set([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'em', 'strong', 'del', 'br'],
  ...['hr', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'pre', 'code'],
])

/** A plugin for the tree of HTML elements. It changes the tree in place. */
export function keepWords() {
  return (tree: unknown): void => {
    const root = tree as TreeNode
    root.children = cleanAll(root.children).map((node) =>
      // Raw HTML between blocks is text without a paragraph of its own.
      node.type === 'text' && node.value?.trim() !== ''
        ? { type: 'element', tagName: 'p', properties: {}, children: [node] }
        : node,
    )
  }
}

const cleanAll = (nodes: readonly TreeNode[] = []): TreeNode[] => nodes.flatMap(clean)

function clean(node: TreeNode): TreeNode[] {
  if (node.type === 'text') return [words(node.value ?? '')]
  if (node.type !== 'element') return []
  const { tagName = '', properties = {} } = node
  if (tagName === 'img') return [words(`[image: ${String(properties['alt'] ?? '').trim() || 'image'}]`)]
  if (tagName === 'input') return [words(properties['checked'] === true ? '☑ ' : '☐ ')]
  const children = cleanAll(node.children)
  if (tagName === 'a') return [...children, ...target(properties['href'], children)]
  return KEPT.has(tagName) ? [{ type: 'element', tagName, properties: {}, children }] : children
}

/** Where a link leads is told, unless its words say so. */
function target(href: unknown, children: readonly TreeNode[]): TreeNode[] {
  const [only] = children
  if (typeof href !== 'string' || href === '' || (children.length === 1 && only?.value === href)) return []
  return [words(` (${href})`)]
}

const words = (value: string): TreeNode => ({ type: 'text', value })
