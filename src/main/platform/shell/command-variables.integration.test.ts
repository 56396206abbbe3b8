/** What the user exported and what the settings name arrives in commands and hooks; secrets do not. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadScenario } from '../../features/rehearsal/scenario.ts'
import { commandLine } from '../../testing/command-line.ts'

test.each([true, false])(
  'exported variables and env of the settings reach commands and hooks, secrets do not (sandbox: %s)',
  async (enabled) => {
    const cli = await commandLine((folder) => ({
      ...{ trustedFolders: [folder], bypassFolders: [folder], sandbox: { enabled } },
      commandVariables: { pass: ['NPM_TOKEN'], withhold: ['INTERNAL_*'] },
      env: { OWN: 'own', NODE_ENV: 'test' },
    }))
    await mkdir(join(cli.home, '.claude'))
    const hook = { matcher: '*', hooks: [{ type: 'command', command: 'env > of-hook.txt' }] }
    await writeFile(
      join(cli.home, '.claude', 'settings.json'),
      JSON.stringify({
        env: { MINE: 'mine', MY_TOKEN: 'given', OWN: 'user' },
        hooks: { PreToolUse: [hook] },
      }),
    )
    const yaml = `
steps:
  - turn: 1
    reply:
      - tool: Bash
        input: { command: "env > of-command.txt; echo $DATABASE_URL" }
  - reply: "{{results}}"
`
    expect(loadScenario(yaml).ok).toBe(true)
    const run = await cli.run(
      [
        ...['run', 'Look', '--scenario', await cli.scenario(yaml)],
        ...['--permission-mode', 'bypassPermissions'],
      ],
      {
        ...{ DATABASE_URL: 'postgres://localhost/dev', AWS_PROFILE: 'dev', NODE_ENV: 'production' },
        ...{ GITHUB_TOKEN: 'ghp_x', INTERNAL_URL: 'x', NPM_TOKEN: 'npm' },
      },
    )
    expect(run.output, run.errors).toContain('postgres://localhost/dev')
    for (const name of ['of-command.txt', 'of-hook.txt']) {
      const lines = (await readFile(join(cli.folder, name), 'utf8')).split('\n')
      expect(lines).toEqual(
        expect.arrayContaining([
          ...['AWS_PROFILE=dev', 'NODE_ENV=test', 'OWN=own', 'MINE=mine', 'MY_TOKEN=given', 'NPM_TOKEN=npm'],
        ]),
      )
      expect(lines.filter((line) => /^(GITHUB_TOKEN|INTERNAL_URL|TROUPE_HOME)=/.test(line))).toEqual([])
    }
  },
)
