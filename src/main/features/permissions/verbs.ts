/** `troupe trust …` and `troupe permissions …` */
import { resolve } from 'node:path'
import { permissionModes } from '../../../shared/permissions/permission-modes.ts'
import {
  type CommandLineRoot,
  type InFolder,
  inFolder,
  type Verbs,
  verb,
  withProgram,
} from '../../command-line.ts'
import { folderAt } from '../../platform/command-line/given-paths.ts'
import { complain, EXIT } from '../../platform/command-line/terminal.ts'
import { asJson, choice, ofFolder, valued } from '../../platform/command-line/verb.ts'
import type { CommandLineAgents } from '../definitions/command-line-agents.ts'
import { agentOptions, givenAgents } from '../definitions/verbs.ts'
import type { RunRules } from '../run/run-rules.ts'
import { ruleOptions } from '../run/verbs.ts'
import type { TrustCommand } from './permissions-command.ts'

const oneFolder = (action: string) =>
  ({
    ...{ arguments: { folder: '[FOLDER]' }, options: asJson },
    misuse: ([folder]: readonly string[]) => `Give one folder: troupe trust ${action} ${folder}`,
  }) as const

const inRules = { ...ofFolder, ...ruleOptions }

const callOptions = {
  ...inRules,
  agent: valued('NAME', 'for this agent (default: main)'),
  mode: choice('MODE', 'in this permission mode', { what: 'permission mode', words: permissionModes }),
  ...agentOptions,
}

const ofCall = (action: string) =>
  ({
    ...{ arguments: { call: 'CALL' }, options: callOptions },
    misuse: `Give one call in quotes: troupe permissions ${action} 'Bash(npm test && rm -rf x)'`,
  }) as const

export const permissionVerbs: Verbs = [
  verb({ words: 'trust list', summary: 'list the folders that you trust', options: asJson, run: trust }),
  verb({
    words: 'trust add',
    summary: 'trust a folder with all in it (default: the current one)',
    ...oneFolder('add'),
    run: trust,
  }),
  verb({
    words: 'trust revoke',
    summary: 'trust a folder no more',
    ...oneFolder('revoke'),
    run: trust,
  }),
  verb({
    words: 'permissions test',
    summary:
      "say whether a call such as 'Bash(npm test && rm -rf x)' is allowed, asked or denied, and by which rule\nof which file; its own exit codes: 0 allowed, 1 denied, 2 wrong usage, 3 asked",
    ...ofCall('test'),
    run: explain,
  }),
  verb({
    words: 'permissions explain',
    summary: 'the same, with exit code 0',
    ...ofCall('explain'),
    run: explain,
  }),
  verb({
    words: 'permissions list',
    summary: 'list the rules that hold here, with file and line',
    options: inRules,
    run: (root, options) =>
      withRules(root, options, async ({ program, ...context }) => {
        const { permissionsList } = await import('./permissions-command.ts')
        const { dispatch } = program
        return await permissionsList(options, { ...context, dispatch })
      }),
  }),
  verb({
    words: 'permissions approve',
    summary: 'see and approve what came into settings and instructions since you last saw them',
    options: inRules,
    run: (root, options) =>
      withRules(root, options, async ({ program, folder, ...context }) => {
        const { permissionsApprove } = await import('./permissions-command.ts')
        const approved = await program.layered.approveEntries(folder)
        const { dispatch } = program
        return await permissionsApprove(options, { ...context, folder, dispatch, approved })
      }),
  }),
]

async function trust(root: CommandLineRoot, command: TrustCommand): Promise<number> {
  const path = command.verb === 'trust-list' ? '.' : (command.folder ?? '.')
  const found = folderAt(path)
  // A folder that is gone can lose its trust.
  if (!found.ok && command.verb === 'trust-add') return complain(found.failure.message, EXIT.usage)
  return await withProgram(root, command, async ({ program, settings, ...context }) => {
    const { trustCommand } = await import('./permissions-command.ts')
    return await trustCommand(command, {
      ...context,
      folders: settings.trustedFolders,
      folder: found.ok ? found.value : resolve(path),
      isTrusted: program.policy.trusted,
      dispatch: program.dispatch,
    })
  })
}

type Explain = Parameters<typeof import('./permissions-command.ts').permissionsExplain>[0] &
  Parameters<typeof withRules>[1] &
  Parameters<typeof givenAgents>[0]

function explain(root: CommandLineRoot, command: Explain): Promise<number> {
  const work = async ({ program, settings, ...context }: InFolder) => {
    const { permissionsExplain } = await import('./permissions-command.ts')
    const { dispatch } = program
    return await permissionsExplain(command, { ...context, dispatch, userMode: settings.permissionMode })
  }
  return withRules(root, command, work, givenAgents(command))
}

/** Composes the program with the rules of the command line. */
async function withRules(
  root: CommandLineRoot,
  options: Parameters<typeof inFolder>[1] & RunRules,
  work: (composed: InFolder) => Promise<number>,
  agents?: CommandLineAgents,
): Promise<number> {
  const rules = { allow: options.allow, deny: options.deny }
  const { wrongRule } = await import('../run/run-rules.ts')
  const wrong = wrongRule(rules)
  if (wrong !== null) return complain(wrong, EXIT.usage)
  return await inFolder(root, options, work, { rules, ...(agents && { agents }) })
}
