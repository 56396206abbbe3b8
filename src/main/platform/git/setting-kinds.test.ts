import { expect, test } from 'vitest'
import { type SettingKind, settingKind } from './setting-kinds.ts'

test.each<[SettingKind, string, string]>([
  ['runs', 'core.sshCommand', './evil'],
  ['runs', 'filter.lfs.clean', './evil'],
  ['runs', 'filter.x.smudge', 'cat'],
  ['runs', 'credential.https://example.com.helper', '!evil'],
  ['runs', 'Include.path', '../other'],
  ['runs', 'includeIf.gitdir:/x/.path', '../other'],
  ['runs', 'remote.origin.url', 'ext::sh -c evil'],
  ['runs', 'unheard.of', 'ext::sh -c evil'],
  ['plain', 'remote.origin.url', 'https://example.com/a.git'],
  ['plain', 'core.repositoryFormatVersion', '0'],
  ['plain', 'filter.lfs.clean', 'git-lfs clean -- %f'],
  ['plain', 'filter.lfs.process', 'git-lfs filter-process'],
  ['plain', 'branch.a.b.merge', 'refs/heads/main'],
  ['idle', 'credential.helper', ''],
  ['idle', 'core.worktree', ''],
  ['idle', 'filter.x.clean', 'git-lfs clean'],
  ['unknown', 'alias.st', 'status'],
  ['unknown', 'core.repositoryFormatVersion.x', '0'],
])('%s: %s = %s', (kind, name, value) => {
  expect(settingKind(name, value)).toBe(kind)
})
