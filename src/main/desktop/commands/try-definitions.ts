/** What the window asks about definitions that are not in use yet: trying one out, and having one written. */

import type { ReadDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import type { LibraryEntry } from '../../../shared/agent-library.ts'
import { type Failure, fail, ok } from '../../../shared/result.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'
import { WRITER, writeDraft } from './draft-writer.ts'
import { type UsualConversationDeps, usualConversation } from './usual-conversation.ts'

export interface TryDefinitionDeps extends UsualConversationDeps {
  readonly program: () => Promise<Program>
}

export function tryDefinitionCommands(
  deps: TryDefinitionDeps,
): Pick<HandlersOf<'definition'>, 'definition.tryOut' | 'definition.draft' | 'definition.stopDraft'> {
  const { program, settings } = deps
  const trusted = (folder: string) => settings.current.trustedFolders.includes(folder)
  let writing: { readonly controller: AbortController; readonly ended: Promise<unknown> } | null = null

  return {
    'definition.tryOut': async ({ folder, id, text }) => {
      const { runtime, definitions } = await program()
      const entry = id === null ? null : await entryOf(id, folder, definitions, trusted(folder))
      const read = readDefinition(text, { stem: stemOf(entry), source: entry?.source ?? 'the editor' })
      if (read.definition === null || !read.offered) return fail(unreadable(read))
      return runtime.create({
        ...usualConversation(folder, deps),
        definition: {
          ...read.definition,
          // A plugin's agent is called by its plugin's name too.
          name: entry?.plugin ? entry.name : read.definition.name,
          source: entry?.source ?? 'project',
          file: entry?.file ?? null,
        },
      })
    },

    'definition.draft': async ({ folder, description }) => {
      while (writing) {
        if (!writing.controller.signal.aborted) return fail(busy)
        // One that was stopped is nearly gone.
        await writing.ended.catch(() => undefined)
      }
      const controller = new AbortController()
      const draft = (async () => {
        const { runtime, definitions } = await program()
        const loaded = await definitions.load(folder, { trusted: trusted(folder) })
        const writer = loaded.definitions.find(({ name }) => name === WRITER)
        if (writer === undefined) return fail(noWriter)
        const conversation = usualConversation(folder, deps)
        return writeDraft({ description, writer, conversation }, runtime, controller.signal)
      })()
      const mine = { controller, ended: draft }
      writing = mine
      try {
        return await draft
      } finally {
        if (writing === mine) writing = null
      }
    },

    'definition.stopDraft': async () => {
      writing?.controller.abort()
      await writing?.ended.catch(() => undefined)
      return ok(undefined)
    },
  }
}

async function entryOf(
  id: string,
  folder: string,
  definitions: Program['definitions'],
  trusted: boolean,
): Promise<LibraryEntry | null> {
  const { entries } = await definitions.library(folder, { trusted })
  return entries.find((entry) => entry.id === id) ?? null
}

function stemOf(entry: LibraryEntry | null): string {
  return entry?.path.split('/').at(-1)?.replace(/\.md$/, '') ?? 'agent'
}

function unreadable({ diagnostics }: ReadDefinition): Failure {
  const first = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
  const why = first === undefined ? '' : ` Line ${first.line}: ${first.message}`
  return { type: 'unreadable', message: `This can’t be tried out yet.${why}` }
}

const busy: Failure = {
  type: 'busy',
  message: 'A definition is being written already. Wait for it, or stop it first.',
}
const noWriter: Failure = {
  type: 'no-writer',
  message: `The agent that writes definitions (${WRITER}) is missing or can’t be read, so nothing was written. Install Troupe again, or look at the problems of the agents.`,
}
