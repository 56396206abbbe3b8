/** The AskUserQuestion tool: questions to the user in a form, each with options and a text of the user's own. */
import { z } from 'zod'
import type { FormAnswer, FormQuestion } from '../../../shared/forms/form.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { type Tool, type ToolOutcome, toolError } from '../ports/tool.ts'

const option = z
  .object({
    label: z.string().trim().min(1).max(100).describe('One to five words.'),
    description: z.string().trim().max(500).default('').describe('What follows from this choice.'),
  })
  .strict()

const question = z
  .object({
    question: z.string().trim().min(1).max(1000).describe('The whole question, with a question mark.'),
    header: z.string().trim().max(40).default('').describe('One to three words, for the tab.'),
    options: z
      .array(option)
      .min(2)
      .max(4)
      .refine(
        (options) => isDistinct(options.map(({ label }) => label)),
        'each label must differ from the others',
      )
      .describe('Two to four choices. The form adds a field for other text.'),
    multiSelect: z.boolean().default(false).describe('Whether several options can be chosen.'),
  })
  .strict()

const schema = z
  .object({
    questions: z
      .array(question)
      .min(1)
      .max(4)
      .refine(
        (questions) => isDistinct(questions.map((each) => each.question)),
        'each question must differ from the others',
      )
      .describe('The most important one first.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createAskUserQuestionTool(): Tool<Input> {
  return {
    name: 'AskUserQuestion',
    aliases: [],
    description:
      'Asks the user one to four questions in a form and waits for the answers. Use it for a decision that changes the work and that only the user can make. Put the option that you recommend first, and say so. Ask everything in one call. Do not ask for permission to make a call: Troupe does that.',
    schema,
    kind: 'message',
    icon: 'question',
    label: 'Question',
    fieldAliases: { multi_select: 'multiSelect' },
    concurrent: true,
    sideEffects: () => false,
    summary: ({ questions }) => questions.map(({ question }) => question.replace(/\s+/g, ' ')).join(' · '),
    target: async () => ({ kind: 'none' }),
    run: async ({ questions }, { askForm }) =>
      outcomeOf(questions, await askForm({ kind: 'questions', questions })),
  }
}

function outcomeOf(questions: readonly FormQuestion[], answer: FormAnswer): ToolOutcome {
  switch (answer.action) {
    case 'accept': {
      const answers = questions.map((asked) => answerTo(asked, answer.values))
      const answered = answers.filter((each) => each !== '').length
      const lines = questions.map(
        (asked, index) => `${asked.question}\n→ ${answers[index] === '' ? '(not answered)' : answers[index]}`,
      )
      return {
        isError: false,
        note: countOf(answered, 'answer'),
        content: `The user answered:\n\n${lines.join('\n\n')}`,
      }
    }
    case 'decline':
      return {
        isError: false,
        note: 'declined',
        content:
          answer.feedback === null
            ? 'The user declined to answer. Do not ask again. Choose the most likely answer yourself and name it, or stop if you cannot continue without it.'
            : `The user declined to answer, and wrote: ${answer.feedback}`,
      }
    case 'cancel':
      return answer.reason === 'unattended'
        ? toolError(
            'The question was not shown: no user can answer here. Decide yourself, continue, and name your assumptions in your report.',
            'no user',
          )
        : toolError('The question was closed without an answer. Continue without it.', 'not answered')
  }
}

/** Labels first, in the order of the options, then the user's own text. Empty: no answer. */
function answerTo({ question, options }: FormQuestion, values: Readonly<Record<string, unknown>>): string {
  const value = Object.hasOwn(values, question) ? values[question] : undefined
  const chosen = (Array.isArray(value) ? value : [value]).flatMap((each) => {
    const text = typeof each === 'string' ? each.trim() : ''
    return text === '' ? [] : [text]
  })
  const labels = options.map(({ label }) => label).filter((label) => chosen.includes(label))
  const own = chosen
    .filter((text) => !labels.includes(text))
    .map((text) => `${text} (in the user's own words)`)
  return [...labels, ...own].join(', ')
}

const isDistinct = (texts: readonly string[]): boolean => new Set(texts).size === texts.length
