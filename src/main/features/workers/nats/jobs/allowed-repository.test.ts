import { expect, test } from 'vitest'
import { withoutCredentials } from '../../../worktrees/bundles/repository-facts.ts'
import { isAllowed } from './worker-policy.ts'

const ID = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

test.each([
  ['https://github.com/acme/tools.git', 'github.com/acme/tools', true],
  ['github.com:acme/tools.git', 'https://github.com/acme/tools', true],
  ['ssh://github.com/acme/tools', 'git@github.com:acme/*', true],
  ['https://GitHub.com/acme/tools', 'github.com/acme/*', true],
  ['https://github.com/acme/a/b', 'github.com/*/b', true],
  ['https://github.com/acme-evil/tools', 'github.com/acme/*', false],
  ['https://github.com/acme/../evil/tools', 'github.com/acme/*', false],
  ['https://github.com/acme/%2e%2e/evil', 'github.com/acme/*', false],
  ['https://evil.com/github.com/acme/tools', 'github.com/acme/*', false],
  ['https://github.com.evil.com/acme/tools', 'github.com/acme/*', false],
  ['https://github.com/acme/tools', 'github.com/acme/tool', false],
  ['https://github.com/acme/tools', 'github.com/acme/tools/more', false],
  [null, 'github.com/*', false],
  [null, ID, true],
  [null, '*', true],
  ['https://github.com/acme/tools', ID.slice(0, 12), false],
] as const)('%s with the pattern %s: %s', (url, pattern, expected) => {
  expect(isAllowed({ id: ID, url }, [pattern])).toBe(expected)
})

test('without patterns nothing is allowed', () => {
  expect(isAllowed({ id: ID, url: 'https://github.com/acme/tools' }, [])).toBe(false)
})

test.each([
  ['https://ada:secret@github.com/acme/tools.git', 'https://github.com/acme/tools.git'],
  ['https://ghp_token@github.com/acme/tools?token=x#y', 'https://github.com/acme/tools'],
  ['https://a@b:secret@github.com/acme/tools', 'https://github.com/acme/tools'],
  ['git@github.com:acme/tools.git', 'github.com:acme/tools.git'],
  ['ssh://git@host:2222/acme/tools', 'ssh://host:2222/acme/tools'],
  ['/home/ada/secret/tools.git', null],
  ['../tools', null],
  ['file:///home/ada/tools', null],
  ['C:\\tools', null],
] as const)('the address %s is sent as %s', (address, expected) => {
  expect(withoutCredentials(address)).toBe(expected)
})
