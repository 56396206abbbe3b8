import { expect, test } from 'vitest'
import { definitionFacts, definitionPatch } from './server-text.ts'

const titles = (definition: unknown) => definitionFacts(definition).map(({ title }) => title)

test('a package without a fixed version is named, whatever runs it', () => {
  for (const [command, args] of [
    ['npx', ['-y', '@linear/mcp@latest']],
    ['npx', ['-y', '@linear/mcp']],
    ['/usr/bin/npx', ['linear']],
    ['npx.cmd', ['linear@^1']],
    ['uvx', ['mcp-server-git']],
    ['pnpm', ['dlx', 'linear']],
  ] as const)
    expect(titles({ command, args }), `${command} ${args.join(' ')}`).toEqual(['No fixed version.'])
  for (const [command, args] of [
    ['npx', ['-y', '@linear/mcp@1.4.0']],
    ['uvx', ['mcp-server-git==2.0']],
  ] as const)
    expect(titles({ command, args })).toEqual([])
})

const variable = (text: string) => `$\{${text}}`

test('variables, programs and addresses are named; an entry of another shape says nothing', () => {
  expect(
    titles({
      command: 'node',
      args: ['s.js', variable('HOME')],
      env: { A: variable('KEY'), B: variable('KEY:-x'), C: 'plain' },
    }),
  ).toEqual(['It runs node', 'It would get HOME', 'It would get KEY'])
  expect(
    titles({ url: 'https://api.example.com/mcp', headers: { Authorization: `Bearer ${variable('TOKEN')}` } }),
  ).toEqual(['It sends requests to api.example.com.', 'It would get TOKEN'])
  for (const odd of [null, undefined, 'text', 3, [], { command: 7 }, { args: 'x' }])
    expect(titles(odd)).toEqual([])
})

test('the difference of two definitions is a unified diff', () => {
  const patch = definitionPatch(
    'linear',
    { command: 'npx', args: ['a@1'] },
    { command: 'npx', args: ['a@2'] },
  )
  expect(patch).toContain('-      "a@1"')
  expect(patch).toContain('+      "a@2"')
  expect(patch).toContain('     "command": "npx"')
})
