/** The defenses that the attacks try, each as a sentence for docs/security.md. */
export const defenses = {
  'command parts': 'Each part of a command line must be read-only or allowed by a rule.',
  'unclear syntax': 'A command line that Troupe cannot parse, or that two parsers read differently, asks.',
  'risky options': 'A read-only program asks with an option that writes a file or runs a program.',
  'written files': 'A redirect into a file asks, also behind an allowed command.',
  'variables that change what runs': 'A variable assignment that can change what runs asks.',
  'files outside': 'Reading and writing outside the folder asks, after links are resolved.',
  secrets: 'Files that may contain a secret ask before they are read.',
  'protected files': 'Files that decide what runs later ask before every write, in every mode.',
} as const

export type Defense = keyof typeof defenses
