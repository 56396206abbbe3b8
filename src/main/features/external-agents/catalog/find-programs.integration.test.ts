import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { pathOutside } from './find-programs.ts'

test('programs of the folder in which Troupe was started are not on PATH, also behind links', () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-path-')))
  const at = (...parts: readonly string[]) => join(root, ...parts)
  for (const folder of ['home/project/node_modules/.bin', 'home/project-two/bin', 'home/.local/bin'])
    mkdirSync(at(folder), { recursive: true })
  symlinkSync(at('home/project/node_modules/.bin'), at('link'))
  symlinkSync(at('home/project'), at('linked-project'))
  const inside = [at('home/project/node_modules/.bin'), at('home/project'), at('link')]
  const outside = [at('home/project-two/bin'), at('home/.local/bin'), '/usr/bin', at('gone')]
  const path = [...inside, ...outside].join(delimiter)
  const left = outside.join(delimiter)
  expect(pathOutside(path, at('home/project'), at('home'))).toBe(left)
  expect(pathOutside(path, at('linked-project'), at('home'))).toBe(left)
  for (const folder of [at('home'), root, '/']) expect(pathOutside(path, folder, at('home'))).toBe(path)
})
