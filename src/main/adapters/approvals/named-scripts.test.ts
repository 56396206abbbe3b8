// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell commands look like templates
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { namedScripts, withScripts } from './named-scripts.ts'

let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-scripts-')))
  mkdirSync(join(folder, 'tools'))
  for (const name of ['tools/check.js', 'tools/x.sh', 'tools/mod.py', 'run me.sh'])
    writeFileSync(join(folder, name), name)
  symlinkSync('/etc/hostname', join(folder, 'tools/link'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  ['node tools/check.js --all', ['tools/check.js']],
  ['./tools/x.sh && node "tools/check.js"', ['tools/x.sh', 'tools/check.js']],
  ['$CLAUDE_PROJECT_DIR/tools/x.sh', ['tools/x.sh']],
  [
    '"${CLAUDE_PROJECT_DIR}"/tools/x.sh ${CLAUDE_PROJECT_DIR}/tools/check.js',
    ['tools/x.sh', 'tools/check.js'],
  ],
  ['"$CLAUDE_PROJECT_DIR"/tools/x.sh', ['tools/x.sh']],
  ['python3 -m tools.mod', ['tools/mod.py']],
  ["bash -c 'tools/x.sh'", ['tools/x.sh']],
  ['run me.sh', ['run me.sh']],
  ['node ../outside.js /etc/hostname tools/link tools', []],
])('finds the files of the folder that %s names', (command, found) => {
  expect(namedScripts(folder, [command])).toEqual(found.map((name) => join(folder, name)))
})

test('a definition changes with the content of its script, and stays the same without one', () => {
  const definition = { run: 'node tools/check.js' }
  const before = withScripts(folder, definition)
  expect(Object.keys(before.scripts ?? {})).toEqual(['tools/check.js'])
  writeFileSync(join(folder, 'tools/check.js'), 'changed')
  expect(withScripts(folder, definition)).not.toEqual(before)
  expect(withScripts(folder, { run: 'npx prettier' })).toEqual({ run: 'npx prettier' })
})
