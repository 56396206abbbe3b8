/** Puts a caret at the end of a growing text. */
import { type ElementNode, element, type TreeNode } from './tree.ts'

/** Blocks in which the caret belongs to the last child. */
const CONTAINERS: ReadonlySet<string> = new Set(['ul', 'ol', 'li', 'blockquote', 'p'])

/** A plugin for the tree of HTML elements: appends a `span[data-caret]` to the last line, if any. */
export function showCaret() {
  return (tree: unknown): void => {
    const caret = element('span', { dataCaret: true }, [])
    let parent = tree as { children: TreeNode[] }
    for (;;) {
      const last = parent.children.findLast((node) => node.type !== 'text' || node.value.trim() !== '')
      if (last?.type === 'element' && last.tagName === 'table') {
        addRow(last, caret)
        return
      }
      if (last?.type !== 'element' || last.tagName === 'pre' || last.tagName === 'hr') break
      const isLine = /^(?:h[1-6]|p|t[dh])$/.test(last.tagName)
      if (!isLine && !CONTAINERS.has(last.tagName)) break
      parent = last
      if (isLine) break
    }
    parent.children.push(caret)
  }
}

/** A streaming table shows finished rows only, so its caret is in a row of its own. */
function addRow(table: ElementNode, caret: ElementNode): void {
  const row = element('tr', {}, [element('td', {}, [caret])])
  const body = table.children.findLast((node) => node.type === 'element' && node.tagName === 'tbody')
  if (body?.type === 'element') body.children.push(row)
  else table.children.push(element('tbody', {}, [row]))
}
