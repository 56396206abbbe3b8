/** The fields of a conversation without a coordinator, teams, tasks, phases and verifications. Not beside their schema, which the window does not load. */
export const noTeams = { coordinator: false, teams: [], tasks: [], phases: [], verifications: [] }
