/** Git's index as bytes: what a checkout tracks and has staged. */
import { createHash } from 'node:crypto'

interface PlainIndex {
  /** The index again, with nothing in it that git would believe without a look at the files. */
  readonly bytes: Buffer
  /** The number of entries that git has to compare with their files again. */
  readonly unsure: number
}

interface Index {
  readonly version: number
  /** Bytes of an object's id. */
  readonly idSize: number
  readonly entries: readonly Entry[]
  readonly extensions: readonly { readonly name: string; readonly at: number; readonly end: number }[]
}

interface Entry {
  readonly at: number
  /** Where the fields end and the name begins. */
  readonly nameAt: number
  readonly end: number
  /** Each byte is a character. */
  readonly path: string
  readonly mode: number
}

const MODE_OF_REPOSITORY = 0o160000
/** The fields that say which state of a file git has seen: its times, device, node, owner and size, without its mode. */
const SEEN: readonly (readonly [from: number, to: number])[] = [
  [0, 24],
  [28, 40],
]

/**
 * The index that a command left, in a form that can be used. Where an entry differs from the former index, git looks at
 * the file again: else an entry could claim that a changed file is unchanged. Caches are left out for the same reason.
 * @param former the index before; null: there was none
 * @returns null: it is damaged, its entries are in another file, or a path leads to a git folder or out of the checkout
 */
export function plainIndex(bytes: Buffer, former: Buffer | null): PlainIndex | null {
  const index = parse(bytes)
  if (index === null || !index.entries.every(({ path }) => isPlainPath(path))) return null
  if (index.extensions.some(({ name }) => name === 'link')) return null
  const known = former === null ? null : parse(former)
  const isKnown =
    known === null ? () => false : inOrder(bytes, index, { bytes: former as Buffer, index: known })
  const end = index.entries.at(-1)?.end ?? 12
  const content = Buffer.from(bytes.subarray(0, end))
  let unsure = 0
  for (const entry of index.entries) {
    if (isKnown(entry)) continue
    unsure++
    for (const [from, to] of SEEN) content.fill(0, entry.at + from, entry.at + to)
  }
  // An extension with a small letter at the start is no cache: git can't read the index without it.
  const needed = index.extensions.filter(({ name }) => /^[a-z]/.test(name))
  const whole = Buffer.concat([content, ...needed.map(({ at, end }) => bytes.subarray(at, end))])
  return { bytes: Buffer.concat([whole, digestOf(whole, index.idSize)]), unsure }
}

/** The paths of other repositories that the index names. Empty where it can't be read. */
export function repositoriesIn(bytes: Buffer): readonly string[] {
  const mode = Buffer.alloc(4)
  mode.writeUInt32BE(MODE_OF_REPOSITORY)
  if (!bytes.includes(mode)) return []
  const entries = parse(bytes)?.entries.filter((entry) => entry.mode === MODE_OF_REPOSITORY) ?? []
  return entries.map(({ path }) => Buffer.from(path, 'latin1').toString())
}

// ---- details ------------------------------------------------------------------------------------

/** Tells of each entry, asked in order, whether the former index has it with the same fields. */
function inOrder(
  bytes: Buffer,
  { idSize }: Index,
  former: { readonly bytes: Buffer; readonly index: Index },
): (entry: Entry) => boolean {
  if (former.index.idSize !== idSize) return () => false
  const { entries } = former.index
  let at = 0
  return ({ path, at: start, nameAt }) => {
    // Git sorts by the bytes of the path. Entries in conflict have the same path, in the order of their stages.
    while ((entries[at]?.path ?? path) < path) at++
    for (let same = at; entries[same]?.path === path; same++) {
      const known = entries[same]
      const fields = known && former.bytes.subarray(known.at, known.nameAt)
      if (fields?.equals(bytes.subarray(start, nameAt)) === true) return true
    }
    return false
  }
}

/** Git would write the file of an entry without a further check of its path. */
const isPlainPath = (path: string): boolean =>
  path.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !/^\.git$/i.test(name))

const digestOf = (content: Buffer, idSize: number): Buffer =>
  createHash(idSize === 20 ? 'sha1' : 'sha256')
    .update(content)
    .digest()

function parse(bytes: Buffer): Index | null {
  const version = bytes.length < 32 ? 0 : bytes.readUInt32BE(4)
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return null
  for (const idSize of [20, 32]) {
    const [content, end] = [bytes.subarray(0, -idSize), bytes.subarray(-idSize)]
    // Git may be told to write zeros in place of the digest.
    if (!end.every((byte) => byte === 0) && !digestOf(content, idSize).equals(end)) continue
    const index = parseContent(content, version, idSize)
    if (index !== null) return index
  }
  return null
}

function parseContent(content: Buffer, version: number, idSize: number): Index | null {
  const entries: Entry[] = []
  let at = 12
  let former = ''
  for (let left = content.readUInt32BE(8); left > 0; left--) {
    const flags = at + 40 + idSize
    if (flags + 2 > content.length) return null
    const isExtended = version >= 3 && (content.readUInt16BE(flags) & 0x4000) !== 0
    const nameAt = flags + (isExtended ? 4 : 2)
    const cut = version === 4 ? readCut(content, nameAt) : { length: former.length, at: nameAt }
    const end = content.indexOf(0, cut.at)
    if (end < 0 || cut.length > former.length) return null
    const path = former.slice(0, former.length - cut.length) + content.toString('latin1', cut.at, end)
    if (entries.length > 0 && path < former) return null
    const next = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8
    entries.push({ at, nameAt, end: next, path, mode: content.readUInt32BE(at + 24) })
    former = path
    at = next
  }
  const extensions = []
  while (at + 8 <= content.length) {
    const end = at + 8 + content.readUInt32BE(at + 4)
    extensions.push({ name: content.toString('latin1', at, at + 4), at, end })
    at = end
  }
  return at === content.length ? { version, idSize, entries, extensions } : null
}

/** In version 4, a path begins with the number of characters to take off the end of the former one. */
function readCut(content: Buffer, from: number): { readonly length: number; readonly at: number } {
  let at = from
  let byte = content[at++] ?? 0
  let length = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = content[at++] ?? 0
    length = (length + 1) * 128 + (byte & 0x7f)
  }
  return { length, at }
}
