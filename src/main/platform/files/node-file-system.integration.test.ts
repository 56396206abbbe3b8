import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createNodeFileSystem } from './node-file-system.ts'

let folder: string
let outside: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-files-')))
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-outside-')))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(outside, { recursive: true, force: true })
})

/** Swaps `use` between a folder and a link out of the project, as fast as an agent's command could. */
const SWAP = `
  const fs = require('node:fs')
  const [folder, outside] = process.argv.slice(1)
  fs.mkdirSync(folder + '/real')
  fs.writeFileSync(folder + '/real/file', 'mine')
  fs.symlinkSync(outside, folder + '/link')
  console.log('ready')
  for (;;)
    for (const name of ['/real', '/link'])
      try {
        fs.renameSync(folder + name, folder + '/use')
        fs.renameSync(folder + '/use', folder + name)
      } catch {
        // A write that found no folder created it, and may still be writing there.
        try { fs.rmSync(folder + '/use', { recursive: true, force: true }) } catch {}
      }
`

it('never reads or writes outside while a folder in the path is swapped for a link and back', async () => {
  const files = createNodeFileSystem()
  const path = join(folder, 'use', 'file')
  writeFileSync(join(outside, 'file'), 'secret')
  const swapper = spawn(process.execPath, ['-e', SWAP, folder, outside])
  try {
    await new Promise((resolve) => swapper.stdout.once('data', resolve))
    let refused = 0
    // Long enough for both cases: a successful read or write, and one that met the link.
    for (let round = 0; round < 300 || refused < 3; round++) {
      const read = await files.read(path, { real: true })
      if (read.ok) expect(Buffer.from(read.value).toString()).toBe('mine')
      else if (read.failure.type === 'moved') refused++
      const write = await files.write(path, 'mine', { real: true })
      if (!write.ok && write.failure.type === 'moved') refused++
    }
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('secret')
    expect(readdirSync(outside)).toEqual(['file'])
  } finally {
    swapper.kill('SIGKILL')
    await new Promise((resolve) => swapper.once('close', resolve))
  }
})
