/** What verbs load before they are run, beside what all of them may. Nothing may join; what is mended is taken off. */
export const loadedByVerbs: readonly string[] = [];

/** Files of the terminal that import other rooms than actions, model and base, and not by a public door. None may join; those that leave are taken off. */
export const facesBesideActions: readonly string[] = [
];
