/** A preview of a definition's body: formatted text without links, images or scripts. */
import type { ReactNode } from 'react'
import { type Components, Streamdown } from 'streamdown'
import styles from './body-preview.module.css'

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

export function BodyPreview({ text }: { readonly text: string }) {
  return (
    <section
      aria-label="Body preview"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      data-selectable
      className="max-h-[40rem] min-h-40 overflow-y-auto rounded-md border border-line-strong bg-bg-0 px-3 py-2 text-md"
    >
      {text === '' ? (
        <p className="text-fg-2">No body yet.</p>
      ) : (
        <Streamdown
          mode="static"
          parseIncompleteMarkdown={false}
          parseMarkdownIntoBlocksFn={whole}
          rehypePlugins={PLUGINS}
          components={components}
          linkSafety={{ enabled: false }}
          controls={false}
          className={styles.preview ?? ''}
        >
          {text}
        </Streamdown>
      )}
    </section>
  )
}

const PLUGINS = [sanitizeMarkdown]
const whole = (text: string) => [text]

interface ElementProps {
  readonly children?: ReactNode
}

// Replaces the library's elements, whose controls and styles don't fit here.
const components: Components = {
  ...Object.fromEntries(
    [
      ...['p', 'ul', 'ol', 'li', 'blockquote', 'strong', 'em', 'del', 'hr', 'br', 'pre', 'code'],
      ...['table', 'thead', 'tbody', 'tr', 'th', 'td'],
    ].map((tag) => [tag, plain(tag)]),
  ),
  ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => [tag, heading(tag)])),
  ...Object.fromEntries([['a', plain('span')]]),
  img: () => null,
}

function plain(tag: string) {
  const Element = tag as 'div'
  return ({ children }: ElementProps) =>
    children === undefined ? <Element /> : <Element>{children}</Element>
}

/** Body headings are paragraphs styled as headings, so that they don't enter the window's outline. */
function heading(tag: string) {
  return ({ children }: ElementProps) => (
    <p className={styles.heading} data-level={tag[1]}>
      {children}
    </p>
  )
}
