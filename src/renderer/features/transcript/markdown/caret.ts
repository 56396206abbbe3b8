/** Puts a caret at the end of a growing text. */
import type { TreeNode } from './lock-down.ts'

/** Blocks in which the caret belongs to the last child. */
const CONTAINERS: ReadonlySet<string> = new Set(['ul', 'ol', 'li', 'blockquote', 'table', 'tbody', 'tr', 'p'])

/** A plugin for the tree of HTML elements: appends a `span[data-caret]` to the last line, if any. */
export function showCaret() {
  return (tree: unknown): void => {
    let parent = tree as { children: TreeNode[] }
    for (;;) {
      const last = parent.children.findLast((node) => node.type !== 'text' || node.value.trim() !== '')
      if (last?.type !== 'element' || last.tagName === 'pre' || last.tagName === 'hr') break
      const isLine = /^(?:h[1-6]|p|t[dh])$/.test(last.tagName)
      if (!isLine && !CONTAINERS.has(last.tagName)) break
      parent = last
      if (isLine) break
    }
    parent.children.push({ type: 'element', tagName: 'span', properties: { dataCaret: true }, children: [] })
  }
}
