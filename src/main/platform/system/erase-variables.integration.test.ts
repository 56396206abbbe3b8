import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const MODULE = JSON.stringify(new URL('./erase-variables.ts', import.meta.url).href)

/** Runs code in a process with these variables, and parses what it prints. */
function inProcess(code: string, variables: Readonly<Record<string, string>>): unknown {
  const script = `import { readFileSync } from 'node:fs'
import { eraseVariables } from ${MODULE}
const environ = () => readFileSync('/proc/self/environ', 'utf8').split('\\0')
${code}`
  const args = ['--input-type=module', '--no-warnings', '--experimental-strip-types', '--eval', script]
  const env = { PATH: process.env['PATH'], ...variables }
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }))
}

test.runIf(process.platform === 'linux')('the values are gone, and all other variables stay', () => {
  const variables = { BEFORE: 'a b', KEY: 'kéy-1', KEY_2: 'stays', TOKEN: '', NO_KEY: 'KEY=kept', AFTER: '' }
  const shown = inProcess(
    `const erased = eraseVariables(['KEY', 'TOKEN', 'MISSING'])
console.log(JSON.stringify({ erased, left: environ().filter((entry) => entry !== ''), again: eraseVariables(['KEY']) }))`,
    variables,
  )
  expect(shown).toEqual({
    erased: true,
    again: true,
    left: [
      `PATH=${process.env['PATH']}`,
      'BEFORE=a b',
      'KEY=',
      'KEY_2=stays',
      'TOKEN=',
      'NO_KEY=KEY=kept',
      'AFTER=',
    ],
  })
})
