/** Characters. */
const LONGEST = 40

/** A task as a part of paths and branches: "Fix the parser!" → `fix-the-parser`. Empty: no letter of it can be used. */
export function taskSlug(task: string): string {
  const plain = task
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  if (plain.length <= LONGEST) return plain
  const cut = plain.slice(0, LONGEST + 1)
  return cut.slice(0, cut.includes('-') ? cut.lastIndexOf('-') : LONGEST)
}
