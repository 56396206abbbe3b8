/** The syntax tree of a message's HTML elements, between the steps of the markdown pipeline. */

interface TextNode {
  type: 'text'
  value: string
}
export interface ElementNode {
  type: 'element'
  tagName: string
  properties: Record<string, unknown>
  children: TreeNode[]
}
/** The supported parts of a syntax tree. `lockDown` drops all others. */
export type TreeNode =
  | TextNode
  | ElementNode
  | { type: 'root' | 'comment' | 'raw' | 'doctype'; children?: TreeNode[] }

export const text = (value: string): TextNode => ({ type: 'text', value })

export const element = (
  tagName: string,
  properties: Record<string, unknown>,
  children: TreeNode[],
): ElementNode => ({ type: 'element', tagName, properties, children })

/** The text in any depth, without recursion. */
export function allText(nodes: readonly TreeNode[]): string {
  const left = nodes.toReversed()
  let found = ''
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.type === 'text') found += node.value
    else for (const child of (node.children ?? []).toReversed()) left.push(child)
  }
  return found
}
