import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { modeMeanings } from './mode-meanings.ts'
import { permissionModes } from './permission-modes.ts'

test.each(permissionModes)('the docs say the mode %s in the words of the menu', (mode) => {
  const docs = readFileSync(new URL('../../../docs/using/permissions.md', import.meta.url), 'utf8')
  const row = docs.split('\n').find((line) => line.startsWith(`| \`${mode}\``)) ?? ''
  const cells = row.split('|').map((cell) => cell.trim())
  expect(cells.slice(2, 4)).toEqual([modeMeanings[mode].label, modeMeanings[mode].meaning])
})
