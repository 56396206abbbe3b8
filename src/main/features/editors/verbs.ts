/** `troupe acp` */
import { type Verbs, verb } from '../../command-line.ts'
import { flag } from '../../platform/command-line/verb.ts'
import { agentOptions } from '../definitions/verbs.ts'
import { mainAgentOption, modelOptions, startValues } from '../run/verbs.ts'

export const editorVerbs: Verbs = [
  verb({
    words: 'acp',
    summary: 'serve an editor that speaks the Agent Client Protocol: Zed, JetBrains, Neovim',
    options: {
      agent: mainAgentOption,
      trust: flag('trust the folders of the sessions until the editor ends'),
      ...modelOptions,
      ...agentOptions,
    },
    misuse: 'troupe acp takes no task and no folder: the editor sends them. See docs/using/editors.md.',
    refine: (values) => startValues(values),
    run: async (root, options) => {
      const { serveAcp } = await import('./serve-editor.ts')
      return await serveAcp(root, options)
    },
  }),
]
