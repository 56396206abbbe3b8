/** The order of changed files, and their folders as a tree. */

const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Natural order ("file2" before "file10"), the folders of a folder before its files. */
export function byFileName(a: string, b: string): number {
  const left = a.split('/')
  const right = b.split('/')
  for (let depth = 0; ; depth++) {
    const isLeftFile = depth === left.length - 1
    const isRightFile = depth === right.length - 1
    if (isLeftFile !== isRightFile) return isLeftFile ? 1 : -1
    const [one = '', other = ''] = [left[depth], right[depth]]
    // Names that differ only in case or in leading zeros still need an order.
    const order = natural.compare(one, other) || (one < other ? -1 : one > other ? 1 : 0)
    if (order !== 0 || isLeftFile) return order
  }
}

export type TreeRow<T> =
  | {
      readonly kind: 'folder'
      /** The whole path, with "/" at the end: never the path of a file. */
      readonly path: string
      /** The part below the parent row. Folders with a single folder inside share one row. */
      readonly name: string
      /** From 1 on. */
      readonly level: number
      readonly isOpen: boolean
      /** The number of files in it. */
      readonly files: number
    }
  | { readonly kind: 'file'; readonly path: string; readonly level: number; readonly file: T }

/** The visible rows of the tree. `files`: in the order of `byFileName`; `closed`: the paths of closed folders. */
export function treeRows<T extends { readonly path: string }>(
  files: readonly T[],
  closed: ReadonlySet<string>,
): readonly TreeRow<T>[] {
  return rowsIn(files, { folder: '', level: 1, closed })
}

function rowsIn<T extends { readonly path: string }>(
  files: readonly T[],
  place: { readonly folder: string; readonly level: number; readonly closed: ReadonlySet<string> },
): readonly TreeRow<T>[] {
  const { folder, level, closed } = place
  const rows: TreeRow<T>[] = []
  for (let index = 0; index < files.length; ) {
    const file = files[index] as T
    const slash = file.path.indexOf('/', folder.length)
    if (slash === -1) {
      rows.push({ kind: 'file', path: file.path, level, file })
      index += 1
      continue
    }
    const first = file.path.slice(0, slash + 1)
    let end = index
    while (files[end]?.path.startsWith(first)) end += 1
    const inside = files.slice(index, end)
    const path = commonFolder(inside, first)
    const isOpen = !closed.has(path)
    const name = path.slice(folder.length, -1)
    rows.push({ kind: 'folder', path, name, level, isOpen, files: inside.length })
    if (isOpen) rows.push(...rowsIn(inside, { folder: path, level: level + 1, closed }))
    index = end
  }
  return rows
}

/** The deepest folder that holds all of these files, at least `folder`. */
function commonFolder(files: readonly { readonly path: string }[], folder: string): string {
  const [first] = files
  const slash = first?.path.indexOf('/', folder.length) ?? -1
  if (first === undefined || slash === -1) return folder
  const deeper = first.path.slice(0, slash + 1)
  return files.every(({ path }) => path.startsWith(deeper)) ? commonFolder(files, deeper) : folder
}

/** The folders above a file, each with "/" at the end. */
export function foldersAbove(path: string): readonly string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))
}
