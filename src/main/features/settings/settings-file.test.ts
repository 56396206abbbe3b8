import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SettingsPatch, settingsPatch } from '../../../shared/settings/settings.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import { parseJson } from '../../platform/json/json-text.ts'
import { changedSettingsText } from './settings-file.ts'

/** Space between two tokens, with comments that look like JSON. */
const space = fc
  .array(
    fc.oneof(
      fc.constantFrom('', ' ', '\n', '\t', '\r\n', '    '),
      fc.constantFrom('// "theme": 1, }\n', '//\r\n', '/* { , */', '/**/', '/*\n"a": [ */', '// é 中 \\ "\n'),
    ),
    { maxLength: 3 },
  )
  .map((parts) => parts.join(''))
const odd = fc.constantFrom(
  '12345678901234567890',
  '-0',
  '1.50',
  '1E+400',
  '2e-7',
  '"\\u0041\\/\\ud83d"',
  '"} // ,"',
  'null',
  '[ 1,2,\t3, ]',
  '{"theme":"dark" , "theme" : 7}',
  '[/* none */]',
  '{}',
)
const patches: fc.Arbitrary<readonly [keyof SettingsPatch, string, SettingsPatch]> = fc.constantFrom(
  ['theme', '"dark"', { theme: 'light' }],
  ['zoom', '110', { zoom: 120 }],
  ['recentFolders', '[ "/a", ]', { recentFolders: ['/b', '/c'] }],
  ['effort', 'null', { effort: 'high' }],
  ['natsUrl', '9', { natsUrl: 'nats://x' }],
  ['statusLine', 'null', { statusLine: { command: 'date' } }],
)
const members = fc.array(
  fc.tuple(space, fc.constantFrom('a', 'a', '__proto__', 'x y', 'model '), space, odd, space),
  {
    maxLength: 5,
  },
)
const isTrailing = fc.constantFrom('', ',')

/** The text around one value that counts. */
function around(
  [start, before, after, end]: readonly [string, Members, Members, string],
  key: string,
  trailing: string,
): readonly [string, string] {
  const shown = (list: Members) =>
    list.map(([a, name, b, value, c]) => `${a}${JSON.stringify(name)}${b}:${value}${c}`)
  const first = shown(before).map((one) => `${one},`)
  const rest = shown(after).map((one) => `,${one}`)
  return [`${start}{${first.join('')} ${JSON.stringify(key)} :`, `${rest.join('')}${trailing}${end}}\n`]
}
type Members = readonly (readonly [string, string, string, string, string])[]

const texts = fc.tuple(fc.constantFrom('', '\uFEFF'), space, members, members, space, isTrailing, patches)

function changed(text: string, patch: SettingsPatch): string {
  const result = changedSettingsText(text, patch)
  if (!result.ok) throw new Error(`${result.failure.message} in ${text}`)
  return result.value
}
const read = (text: string): Readonly<Record<string, unknown>> => {
  const result = parseJson(text)
  if (!result.ok) throw new Error(`${result.failure.message} in ${text}`)
  return Object(result.value)
}

test('a changed value is the only difference of any text', () => {
  fc.assert(
    fc.property(texts, ([mark, start, before, after, end, trailing, [key, now, patch]]) => {
      // An earlier value of the same key does not count and stays.
      const doubled = [['', key, '', '7', ''] as const, ...before]
      const [head, tail] = around([mark + start, doubled, after, end], key, trailing)
      const text = changed(head + now + tail, patch)
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      expect(read(text.slice(head.length, text.length - tail.length))).toEqual(Object(patch[key]))
      expect(settingsPatch.parse({ [key]: read(text)[key] })).toEqual(patch)
      expect(changed(text, patch)).toBe(text)
    }),
    { numRuns: triesOf(1000) },
  )
})

test('a new setting only adds characters to any text', () => {
  fc.assert(
    fc.property(texts, ([mark, start, before, after, end, trailing, [, , patch]]) => {
      const [head, tail] = around([mark + start, before, after, end], 'model ', trailing)
      for (const value of ['12345678901234567890', '{}']) {
        const whole = head + value + tail
        const text = changed(whole, patch)
        expect(isSubsequence(whole, text)).toBe(true)
        expect(read(text)).toEqual({ ...read(whole), ...patch })
      }
      const empty = `${mark}${start}{${end}}`
      const made = changed(empty, patch)
      expect(isSubsequence(empty, made)).toBe(true)
      expect(read(made)).toEqual(patch)
    }),
    { numRuns: triesOf(1000) },
  )
})

function isSubsequence(part: string, whole: string): boolean {
  let at = 0
  for (const character of whole) if (part.startsWith(character, at)) at += character.length
  return at === part.length
}

test('an object keeps the members that Troupe does not know', () => {
  const text =
    '{ "sandbox": { "limits": { "memoryMegabytes": 8e3, /* ! */ "later": 1.0 }, "enabled": true } }'
  const sandbox = settingsPatch.parse(read(text)).sandbox
  if (sandbox === undefined) throw new Error('The text has no sandbox.')
  const limits = { ...sandbox.limits, memoryMegabytes: 64 }
  expect(changed(text, { sandbox: { ...sandbox, limits } })).toBe(text.replace('8e3', '64'))
  const network = { allowedDomains: ['example.com'], allowUnixSockets: [] }
  expect(read(changed(text, { sandbox: { ...sandbox, network } }))).toEqual({
    sandbox: {
      limits: { memoryMegabytes: 8000, later: 1 },
      enabled: true,
      network: { allowedDomains: ['example.com'] },
    },
  })
})

test('a removed member of a setting is gone, doubled or not', () => {
  const text = '{ "modelAliases": { "haiku": "a", // no\n "haiku": "b", "opus": "c" } }'
  const now = changed(text, { modelAliases: { opus: 'd' } })
  expect(now).toBe('{ "modelAliases": { // no\n "opus": "d" } }')
})

test('an invalid object is replaced as a whole', () => {
  const text = '{ "statusLine": { "command": 7, "x": 1 }, "y": 2 }'
  expect(read(changed(text, { statusLine: { command: 'date' } }))).toEqual({
    statusLine: { command: 'date' },
    y: 2,
  })
})
