/** `troupe models …` */
import { withProbe } from '../../../shared/models/model-probe.ts'
import { type CommandLineRoot, type Verbs, verb, withProgram } from '../../command-line.ts'
import { asJson } from '../../platform/command-line/verb.ts'
import type { ModelsCommand } from './models-command.ts'

export const modelVerbs: Verbs = [
  verb({
    words: 'models list',
    summary: 'list the models of the providers in the settings',
    options: asJson,
    run,
  }),
  verb({
    words: 'models probe',
    arguments: { model: '[MODEL]' },
    summary:
      'test a model, as NAME/MODEL (default: that of new conversations): does it stream, call a tool, count tokens?',
    options: asJson,
    misuse: 'Give one model: troupe models probe NAME/MODEL',
    run,
  }),
]

function run(root: CommandLineRoot, command: ModelsCommand): Promise<number> {
  return withProgram(root, command, async ({ program, settings, change, ...context }) => {
    const { modelsCommand } = await import('./models-command.ts')
    const { key, authToken, baseUrl } = root.given.api
    await program.switchAccess(
      key === null && authToken === null && root.userSettings.apiKeyHelper === null
        ? { kind: 'none' }
        : { kind: 'api', key, authToken, baseUrl: baseUrl ?? settings.baseUrl },
    )
    return await modelsCommand(command, {
      ...context,
      providers: settings.providers,
      defaultModel: settings.model,
      probe: program.probeModel,
      keep: async (probe) => {
        const providers = withProbe(settings.providers, probe)
        return providers && change({ providers })
      },
    })
  })
}
