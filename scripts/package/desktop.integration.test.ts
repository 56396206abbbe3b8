/** What lies beside the archive of the window in a package, and what starts the command line there. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { addProgram } from './desktop.ts'
import { iconPng } from './icon.ts'

const isBuilt = basename(process.env['TROUPE_TEST_PROGRAM'] ?? '') === 'cli.mjs'

describe.runIf(isBuilt && process.platform !== 'win32')('the command line of a desktop package', () => {
  test('is started through a link by the program beside it, as Node, and finds its agents', () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-desktop-')))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const resources = join(home, 'opt', 'resources')
    // The stand-in for Electron leaves this there.
    mkdirSync(join(resources, 'app'), { recursive: true })
    addProgram(resources)
    expect(existsSync(join(resources, 'app'))).toBe(false)
    expect(existsSync(join(resources, 'sample', 'project'))).toBe(true)
    const electron = join(home, 'opt', 'troupe')
    const script = `#!/bin/sh\n[ "$ELECTRON_RUN_AS_NODE" = 1 ] && exec "${process.execPath}" "$@"\nexit 9\n`
    writeFileSync(electron, script, { mode: 0o755 })
    symlinkSync(join(resources, 'bin', 'troupe'), join(home, 'troupe'))

    const { status, stdout } = spawnSync(join(home, 'troupe'), ['agents', 'list'], {
      env: { PATH: '/usr/bin:/bin', HOME: home },
      cwd: '/',
      encoding: 'utf8',
    })
    expect(stdout).toContain('general-purpose')
    expect(status).toBe(0)
  })
})

test('the icon is a picture of PNG with the colors of the bars', () => {
  const size = 64
  const png = iconPng(size)
  expect(png.toString('latin1', 1, 4)).toBe('PNG')
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([size, size])
  const length = png.readUInt32BE(33)
  const rows = inflateSync(png.subarray(41, 41 + length))
  const pixel = (x: number, y: number) => [...rows.subarray(y * (size * 4 + 1) + 1 + x * 4).subarray(0, 4)]
  expect(pixel(Math.round(0.25 * size), size / 2)).toEqual([0x60, 0xaa, 0xf3, 255])
  expect(pixel(0, 0)).toEqual([0, 0, 0, 0])
})
