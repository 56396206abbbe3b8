import { expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import type { WrittenRule } from '../../../shared/rules/written-rule.ts'
import { decideCall, type JudgedCall, type PermitDeps } from './decide-call.ts'

const rule = (text: string): WrittenRule => ({ text, source: 'user', file: null, line: null, where: '' })

test('a command in the sandbox knows when rules about files came that it does not keep', async () => {
  const rules = { deny: [rule('Read(secrets/**)')], ask: [] as WrittenRule[], allow: [] as WrittenRule[] }
  const deps = {
    files: { realPath: async (path: string) => ok(path), read: async () => ok(new Uint8Array()) },
    search: {},
    rules: { of: async () => ({ ...rules, additionalDirectories: [] }) },
    policy: {
      ownPaths: { dataFolder: '/data', settingsFile: '/data/settings.json', home: '/home/me' },
      trusted: () => true,
      bypassAllowed: () => false,
    },
    sandbox: {
      policy: async () => ({ autoAllow: true, mayLeave: true, excluded: [], alsoWrites: [], domains: [] }),
    },
  } as unknown as PermitDeps
  const call = {
    tool: 'Bash',
    target: { kind: 'command', command: 'npm start' },
    mode: { permissionMode: 'default', neverAsks: false },
    session: { root: '/project', project: '/project', cwd: '/project', worktree: null, readFolders: [] },
    definition: { writeFolders: [], rules: {}, source: 'user', name: 'a' },
    readOnly: false,
  } as unknown as JudgedCall
  const decision = await decideCall(deps, call, new AbortController().signal)
  if (decision.kind !== 'allow' || decision.limits?.rulesCame === undefined) throw new Error('not confined')
  const { rulesCame } = decision.limits
  expect(await rulesCame()).toBe(false)
  rules.allow.push(rule('Bash(npm test)'))
  expect(await rulesCame()).toBe(false)
  rules.ask.push(rule('Edit(locked/**)'))
  expect(await rulesCame()).toBe(true)
  rules.ask.pop()
  rules.deny.pop()
  expect(await rulesCame()).toBe(false)
})
