"""The sample that `zeromem demo` replays: a travel assistant and Lin Yue, eight sessions in English and Chinese.

`sample.jsonl` holds one message a line, `{"session", "at", "message"}`, in the shape that `transfer.read_file` reads;
`questions.json` holds questions with the words that a right context contains (`expect`), the sessions that hold the
evidence, and under `silent` two that must inject nothing. People, hotels and codes are invented. No code lives here.
"""
