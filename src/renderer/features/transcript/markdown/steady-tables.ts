/** Gives the columns of a streaming table widths that later rows do not change. */
import { allText, type ElementNode, type TreeNode } from './tree.ts'

/** Bounds of a column's share, in characters. */
const NARROWEST = 4
const WIDEST = 48

/** A plugin after `lockDown`: adds the widths in percent, from the head and the first row, as `data-widths`. */
export function steadyTables() {
  return (tree: unknown): void => {
    for (const table of tablesIn((tree as { children: TreeNode[] }).children)) {
      const rows = elementsIn(table, 'tr').slice(0, 2)
      const shares: number[] = []
      for (const row of rows)
        for (const [index, cell] of row.children.filter(isElement).entries())
          shares[index] = Math.max(
            shares[index] ?? NARROWEST,
            Math.min(WIDEST, allText(cell.children).length),
          )
      const sum = shares.reduce((total, share) => total + share, 0)
      table.properties['dataWidths'] = shares.map((share) => ((100 * share) / sum).toFixed(1)).join()
    }
  }
}

const isElement = (node: TreeNode): node is ElementNode => node.type === 'element'

function tablesIn(nodes: readonly TreeNode[]): readonly ElementNode[] {
  return nodes
    .filter(isElement)
    .flatMap((node) => (node.tagName === 'table' ? [node] : tablesIn(node.children)))
}

function elementsIn(node: ElementNode, tagName: string): readonly ElementNode[] {
  return node.children
    .filter(isElement)
    .flatMap((child) => (child.tagName === tagName ? [child] : elementsIn(child, tagName)))
}
