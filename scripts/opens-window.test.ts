import { join } from 'node:path'
import { expect, test } from 'vitest'
import { opensWindow } from './runner/opens-window.mjs'

const ROOT = join(import.meta.dirname, '..')

test('a folder opens the window; a command never does, even if a folder has its name', () => {
  expect(opensWindow([], ROOT)).toBe(true)
  expect(opensWindow(['docs'], ROOT)).toBe(true)
  expect(opensWindow(['./agents'], ROOT)).toBe(true)
  expect(opensWindow(['agents', 'list'], ROOT)).toBe(false)
  expect(opensWindow(['run', 'docs'], ROOT)).toBe(false)
  expect(opensWindow(['nowhere'], ROOT)).toBe(false)
  expect(opensWindow(['--help'], ROOT)).toBe(false)
})
