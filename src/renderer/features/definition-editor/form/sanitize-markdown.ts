/** A rehype plugin that keeps formatted text and removes attributes, links and images. */

interface TreeNode {
  readonly type: string
  readonly tagName?: string
  readonly value?: string
  readonly properties?: Readonly<Record<string, unknown>>
  children?: TreeNode[]
}

const ALLOWED_TAGS: ReadonlySet<string> = new Set([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'em', 'strong', 'del', 'br'],
  ...['hr', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'pre', 'code'],
])

/** Changes the tree in place. */
export function sanitizeMarkdown() {
  return (tree: unknown): void => {
    const root = tree as TreeNode
    root.children = cleanAll(root.children).map((node) =>
      // Raw HTML between blocks is text without a paragraph.
      node.type === 'text' && node.value?.trim() !== ''
        ? { type: 'element', tagName: 'p', properties: {}, children: [node] }
        : node,
    )
  }
}

const cleanAll = (nodes: readonly TreeNode[] = []): TreeNode[] => nodes.flatMap(clean)

function clean(node: TreeNode): TreeNode[] {
  if (node.type === 'text') return [textNode(node.value ?? '')]
  if (node.type !== 'element') return []
  const { tagName = '', properties = {} } = node
  if (tagName === 'img') return [textNode(`[image: ${String(properties['alt'] ?? '').trim() || 'image'}]`)]
  if (tagName === 'input') return [textNode(properties['checked'] === true ? '☑ ' : '☐ ')]
  const children = cleanAll(node.children)
  if (tagName === 'a') return [...children, ...target(properties['href'], children)]
  return ALLOWED_TAGS.has(tagName) ? [{ type: 'element', tagName, properties: {}, children }] : children
}

/** The target of a link as text, unless the link text already is the target. */
function target(href: unknown, children: readonly TreeNode[]): TreeNode[] {
  const [only] = children
  if (typeof href !== 'string' || href === '' || (children.length === 1 && only?.value === href)) return []
  return [textNode(` (${href})`)]
}

const textNode = (value: string): TreeNode => ({ type: 'text', value })
