import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

test('docs/architecture.md names only files and folders that exist', () => {
  const paths = [...text.matchAll(/`((?:src|agents|e2e|bench|scripts|docs)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  )
  expect(paths.length).toBeGreaterThan(40)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('each recipe names its test', () => {
  const recipes = text.slice(text.indexOf('## Recipes')).split('\n### ').slice(1)
  const without = recipes.filter((recipe) => !/^Test: `[\w./-]+\.test\.tsx?`$/m.test(recipe))
  expect(without.map((recipe) => recipe.split('\n', 1)[0])).toEqual([])
})
