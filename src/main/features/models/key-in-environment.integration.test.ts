import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { commandLine } from '../../testing/command-line.ts'
import { startScriptedServer } from '../rehearsal/feature.ts'
import { loadScenario } from '../rehearsal/scenario.ts'

/** The brackets keep the command from finding itself. */
const searchFor = (key: string): string =>
  `grep -als '${key.slice(0, -1)}[${key.at(-1)}]' /proc/[0-9]*/environ /proc/[0-9]*/cmdline; echo searched`

test.runIf(process.platform === 'linux')(
  'a command of an agent finds the key in no environment and no command line',
  async () => {
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) {
      const key = `canary-${randomUUID()}`
      const command = searchFor(key)
      const director = loadScenario(
        `steps:\n  - turn: 1\n    reply:\n      - tool: Bash\n        input: { command: ${JSON.stringify(command)} }\n  - reply: "{{results}}"\n`,
      )
      if (!director.ok) throw new Error(director.failure.message)
      const server = await startScriptedServer({ director: director.value, requireKey: key })
      onTestFinished(() => server.close())
      const cli = await commandLine((folder) => ({ trustedFolders: [folder], bypassFolders: [folder] }))
      const { output } = await cli.run(['run', 'Search', '--permission-mode', 'bypassPermissions'], {
        ANTHROPIC_BASE_URL: server.baseUrl,
        [name]: key,
      })
      expect(output).toBe('searched\n')
    }
  },
)

test.runIf(process.platform === 'linux')(
  'the key of a provider, in a variable of any name, is found in no environment either, and the provider gets it',
  async () => {
    const key = `canary-${randomUUID()}`
    const director = loadScenario(
      `steps:\n  - turn: 1\n    reply:\n      - tool: Bash\n        input: { command: ${JSON.stringify(`${searchFor(key)}; env | grep -c LAB_API`)} }\n  - reply: "{{results}}"\n`,
    )
    if (!director.ok) throw new Error(director.failure.message)
    const server = await startScriptedServer({ director: director.value, requireKey: key })
    onTestFinished(() => server.close())
    const models = { m: { tools: true } }
    const cli = await commandLine((folder) => ({
      ...{ trustedFolders: [folder], bypassFolders: [folder], sandbox: { enabled: false } },
      providers: { lab: { baseUrl: server.baseUrl, keyVariable: 'LAB_API_KEY', models } },
    }))
    const args = ['run', 'Search', '--model', 'lab/m', '--permission-mode', 'bypassPermissions']
    const { output, errors } = await cli.run(args, { LAB_API_KEY: key })
    expect(output, errors).toMatch(/^searched\n0\n/)
  },
)
