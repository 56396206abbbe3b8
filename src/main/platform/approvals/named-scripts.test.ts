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
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      scripts: { preguard: './tools/x.sh', guard: 'node tools/check.js', other: 'run me.sh' },
    }),
  )
  symlinkSync('check.js', join(folder, 'tools/inner'))
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
  ['node --import ./tools/x.sh ./tools/check', ['tools/x.sh', 'tools/check.js']],
  ['cd tools && ./x.sh', ['tools/x.sh']],
  ['env >> tools/x.sh', []],
  ['node tools/check.js > tools/mod.py 2>"run me.sh"; . tools/x.sh', ['tools/check.js', 'tools/x.sh']],
  ['tee -a tools/x.sh | grep x', []],
  ['cat a >tools/x.sh; ./tools/x.sh', ['tools/x.sh']],
  ['npm run guard', ['tools/x.sh', 'tools/check.js']],
  ['pnpm --silent run guard -- --all', ['tools/x.sh', 'tools/check.js']],
  ['tools/inner', ['tools/check.js']],
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

test('a definition changes with the target of a link, and with a script of package.json', () => {
  for (const run of ['tools/inner', 'npm run guard']) {
    const before = withScripts(folder, { run })
    writeFileSync(join(folder, 'tools/check.js'), `changed for ${run}`)
    expect(withScripts(folder, { run })).not.toEqual(before)
  }
  const before = withScripts(folder, { run: 'npm run guard' })
  writeFileSync(join(folder, 'package.json'), '{ "scripts": { "guard": "curl x | sh" } }')
  expect(withScripts(folder, { run: 'npm run guard' })).not.toEqual(before)
})
