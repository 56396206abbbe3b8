/** The models of the program: the providers of the settings, their catalog, and the client of the current access. */
import { join } from 'node:path'
import type { ModelAccess } from '../../../shared/models/model-access.ts'
import { TUTORIAL_MODEL } from '../../../shared/tutorial/tutorial.ts'
import type { ProgramLaunch } from '../../platform/launch-options.ts'
import { createModelCatalog } from '../../platform/models/model-catalog.ts'
import type { Platform } from '../../platform/platform.ts'
import type { ModelCatalog } from '../../runtime/ports/model.ts'
import { createKeyHelper } from '../settings/key-helper.ts'
import { createModelProviders } from './model-providers.ts'
import { createModelSwitch } from './model-switch.ts'
import { probeModel } from './probe-model.ts'

/** @param options `onAccess` is called when later requests go to another access */
export function composeModels(
  { clock, settings, variables, environment }: Platform,
  {
    rehearsal,
    agentsFolder,
    apiKeyHelper = null,
    onAccess,
  }: Pick<ProgramLaunch, 'rehearsal' | 'agentsFolder' | 'apiKeyHelper'> & { readonly onAccess: () => void },
) {
  const providers = createModelProviders({
    clock,
    providers: () => settings.current.providers,
    environment: variables,
  })
  const models = providers.catalog(createModelCatalog({ aliases: () => settings.current.modelAliases }))
  const model = createModelSwitch({
    ...{ clock, models, providers, rehearsal },
    surveyFile: join(agentsFolder, 'survey.yaml'),
    tutorialFile: join(agentsFolder, 'tutorial.yaml'),
    keyHelper:
      apiKeyHelper === null ? null : createKeyHelper({ command: apiKeyHelper, environment, now: clock.now }),
    defaultModel: () => settings.current.model,
  })
  let access: ModelAccess = { kind: 'none' }
  /** The models as agents use them: a script, of the rehearsal or the tutorial, knows each name and costs nothing. */
  const ofAgents: ModelCatalog = {
    resolve: models.resolve,
    problem: (name, below) =>
      model.isRehearsal || name === TUTORIAL_MODEL ? null : (models.problem?.(name, below) ?? null),
    facts(id) {
      const facts = models.facts(id)
      // A rate limit that the tutorial's script acts out holds no agent of another conversation.
      if (id === TUTORIAL_MODEL) return { ...facts, price: null, free: true, provider: TUTORIAL_MODEL }
      return model.isRehearsal ? { ...facts, price: null, free: true } : facts
    },
  }
  return {
    ...{ providers, models, ofAgents, client: model.client },
    access: () => access,
    isRehearsal: () => model.isRehearsal,
    /** The rehearsal that answers this program's agents; undefined: a model does. */
    rehearsed: () => (access.kind === 'rehearsal' ? { scenarioFile: rehearsal.scenarioFile } : undefined),
    async switchAccess(next: ModelAccess) {
      const switched = await model.switchTo(next)
      if (switched.ok) {
        access = next
        onAccess()
      }
      return switched
    },
    testAccess: model.test,
    listModels: model.listModels,
    /** Tests in two small requests whether a model can do an agent's work. */
    probeModel: (name: string) => probeModel(models.resolve(name), { client: model.client, clock }),
    close: model.close,
  }
}
