/** Which conversations belong together, where each agent has one of its own that names its parent. */

/**
 * Each conversation with those of its subagents, at any depth, the main one first. One in a loop of parents begins a family
 * of its own, and so does one whose parent is gone.
 * @param parents by the id of a conversation the id of its parent; empty: it has none
 */
export function familiesOf(parents: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const children = new Map<string, string[]>()
  for (const [id, parent] of parents)
    if (parent !== '' && parent !== id) children.set(parent, [...(children.get(parent) ?? []), id])
  const seen = new Set<string>()
  const familyOf = (root: string): readonly string[] => {
    const ids = [root]
    seen.add(root)
    for (const id of ids)
      for (const child of children.get(id) ?? []) {
        if (seen.has(child)) continue
        seen.add(child)
        ids.push(child)
      }
    return ids
  }
  const isRoot = ([id, parent]: readonly [string, string]) => !parents.has(parent) || parent === id
  const roots = [...parents].filter(isRoot).map(([id]) => familyOf(id))
  const loops = [...parents.keys()].flatMap((id) => (seen.has(id) ? [] : [familyOf(id)]))
  return [...roots, ...loops]
}
