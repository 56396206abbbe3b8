import { chmodSync, closeSync, mkdirSync, openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { inflateRawSync } from 'node:zlib'

const END_OF_DIRECTORY = 0x06054b50
const STORED = 0
const DEFLATED = 8

/**
 * Unpacks a zip file (not zip64).
 *
 * @param {string} file
 * @param {string} folder
 * @param {(name: string) => string | undefined} rename the path inside `folder`, or undefined to leave it out
 */
export function unzip(file, folder, rename) {
  const archive = openSync(file, 'r')
  try {
    for (const entry of readDirectory(archive, statSync(file).size)) {
      const name = entry.name.endsWith('/') ? undefined : rename(entry.name)
      if (name === undefined) continue
      const target = resolve(folder, name)
      if (!target.startsWith(resolve(folder) + sep)) throw new Error(`${entry.name} leads out of ${folder}`)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, readContent(archive, entry))
      if ((entry.mode & 0o100) !== 0) chmodSync(target, 0o755)
    }
  } finally {
    closeSync(archive)
  }
}

function readDirectory(archive, size) {
  const tailLength = Math.min(size, 65_557)
  const tail = readAt(archive, size - tailLength, tailLength)
  let end = tailLength - 22
  while (end >= 0 && tail.readUInt32LE(end) !== END_OF_DIRECTORY) end--
  if (end < 0) throw new Error('This is not a zip file')
  const count = tail.readUInt16LE(end + 10)
  const directory = readAt(archive, tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12))
  const entries = []
  for (let at = 0, i = 0; i < count; i++) {
    const nameLength = directory.readUInt16LE(at + 28)
    entries.push({
      method: directory.readUInt16LE(at + 10),
      compressedSize: directory.readUInt32LE(at + 20),
      mode: directory.readUInt32LE(at + 38) >>> 16,
      offset: directory.readUInt32LE(at + 42),
      name: directory.toString('utf8', at + 46, at + 46 + nameLength),
    })
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return entries
}

function readContent(archive, entry) {
  const header = readAt(archive, entry.offset, 30)
  const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const data = readAt(archive, start, entry.compressedSize)
  if (entry.method === STORED) return data
  if (entry.method === DEFLATED) return inflateRawSync(data)
  throw new Error(`${entry.name} is packed with the unknown method ${entry.method}`)
}

function readAt(archive, position, length) {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(archive, buffer, filled, length - filled, position + filled)
    if (count === 0) throw new Error('The zip file ends too early')
    filled += count
  }
  return buffer
}
