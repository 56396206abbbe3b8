import { describe, expect, it } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import type { FileLook } from './permission-concern.ts'
import { repositoryProgram } from './repository-programs.ts'
import { judgeCommand } from './testing/judge.ts'

/** Files by path; undefined: one that can't be read. */
function lookAt(files: Readonly<Record<string, string | undefined>>): FileLook {
  return {
    names: async (folder) => {
      const start = folder === '/' ? '/' : `${folder}/`
      const below = Object.keys(files).filter((path) => path.startsWith(start))
      return below.map((path) => path.slice(start.length).split('/')[0] ?? '')
    },
    text: async (path) => (path in files ? files[path] : null),
    findFile: async () => ok(null),
  }
}

const found = (config: string) => repositoryProgram(lookAt({ '/repo/.git/config': config }), '/repo')

describe('a program in the settings of a repository', () => {
  it.each([
    ['core.fsmonitor', '[core]\n\tfsmonitor = ./evil'],
    ['core.fsmonitor', '[CORE] FSMonitor=./evil'],
    ['core.fsmonitor', '[core]\n\tfsmonitor = \\\n./evil'],
    ['core.worktree', '[core]\n\tbare = false\n\tworktree = /home'],
    ['diff.external', '[user]\n\tname = a\n[diff]\n\texternal = ./evil'],
    ['diff.x.textconv', '[diff "x"]\n\ttextconv = ./evil'],
    ['diff.x.textconv', '[diff.x]\n\ttextconv = ./evil'],
    ['filter.a "b".clean', '[filter "a \\"b\\""]\n\tclean = ./evil'],
    ['include.path', '[include]\n\tpath = ../other'],
    ['log.showsignature', '[log]\n\tshowSignature'],
    ['format.pretty', '[format]\n\tpretty = %\\\nG?'],
    ['pretty.mine', '[pretty]\n\tmine = "format:%h %"G"?"'],
    ['branch.sort', '[branch]\n\tsort = -signature:grade'],
    ['tag.sort', '[tag] sort = signature'],
    ['core.fsmonitor', '[core]\n# a comment \\\n\tfsmonitor = ./evil'],
  ])('is found: %s', async (name, config) => {
    const phrase = (await found(config)) ?? 'none'
    expect(phrase.replaceAll('\\', '')).toBe(`the setting ${name}`)
  })

  it.each([
    '',
    '[core]\n\tfsmonitor = true\n\trepositoryformatversion = 0',
    '[core]\n\tfsmonitor',
    '[remote "origin"]\n\turl = https://example.com/x.git\n[branch "main"]\n\tmerge = refs/heads/main',
    '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process',
    '# [core]\n# fsmonitor = x',
    '[diff]\n\talgorithm = histogram',
  ])('is not seen in %j', async (config) => {
    expect(await found(config)).toBeNull()
  })

  it('is found in the folder above, behind a worktree and behind `commondir`', async () => {
    const config = '[core]\n\tfsmonitor = ./evil'
    const above = lookAt({ '/a/.git/config': config, '/a/b/c.txt': '' })
    expect(await repositoryProgram(above, '/a/b')).not.toBeNull()
    const worktree = lookAt({
      '/w/.git': 'gitdir: /r/.git/worktrees/w\n',
      '/r/.git/worktrees/w/commondir': '../..\n',
      '/r/.git/config': config,
    })
    expect(await repositoryProgram(worktree, '/w')).not.toBeNull()
    const crafted = lookAt({
      '/r/.git/commondir': '../store\n',
      '/r/.git/HEAD': '',
      '/r/store/config': config,
    })
    expect(await repositoryProgram(crafted, '/r')).not.toBeNull()
    const bare = lookAt({ '/r/HEAD': '', '/r/objects/x': '', '/r/config': config })
    expect(await repositoryProgram(bare, '/r')).not.toBeNull()
  })

  it('may be in a file that can not be read', async () => {
    expect(await repositoryProgram(lookAt({ '/repo/.git/config': undefined }), '/repo')).not.toBeNull()
  })

  it('makes git commands ask, and no others; a rule for the command allows it', async () => {
    const look = lookAt({ '/repo/.git/config': '[core]\n\tfsmonitor = ./evil', '/repo/a.txt': '' })
    expect(await judgeCommand('git status', { look })).toMatchObject({
      kind: 'ask',
      because: 'In this repository, the setting core.fsmonitor can make git run a program.',
    })
    expect(await judgeCommand('cat a.txt', { look })).toMatchObject({ kind: 'allow' })
    expect(await judgeCommand('git status', { look, rules: ['Bash(git status)'] })).toMatchObject({
      kind: 'allow',
    })
  })
})
