"""The rules in scripts with other stops than ours, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.sentences.rules import rule_ranges

CASES: dict[str, tuple[str, str, list[str]]] = {
    "quotations in Japanese": (
        "ja",
        "",
        [
            "昨日、友人と市場へ行った。",
            "「もう遅いよ。帰ろう。」と彼女は言ったが、私はまだ見ていたかった。",
            "『雪の町。』という本を読んだ。",
            "「はい。」",
            "「いいえ。」",
            "ところが雨が降った。",
        ],
    ),
    "brackets, versions and dots in Japanese": (
        "ja",
        "",
        [
            "バージョン3.11.4を使う（古いものは動かない。注意。）。",
            "そして……静かになった。",
            "本当か？",
            "いや、違う！",
        ],
    ),
    "quotations in Chinese": (
        "zh",
        "",
        [
            "昨天我去了市场。",
            "“太晚了。我们回家吧。”她说。",
            "价格是3.5元，版本是2.0.1。",
            "“你好。”",
            "天亮了。",
            "他问：“你去哪儿？”",
            "后来（大约三点。）他走了。",
            "“走吧。”",
            "我知道他不来。",
            "“问题是什么？”小李问道。",
            "真的吗？",
            "不！",
        ],
    ),
    "Arabic": (
        "ar",
        " ",
        [
            "ذهبت أمس إلى السوق.",
            "هل تعرف هذا المكان؟",
            "نعم، أعرفه!",
            "كان السعر 3.5 دينار.",
            "قال: «العلم نور.»",
            "ثم خرج.",
        ],
    ),
    "Urdu without spaces": ("ur", "", ["موسم اچھا تھا۔", "ہم نے چائے پی۔", "قیمت 3.5 روپے تھی۔"]),
    "Persian": ("fa", " ", ["دیروز به بازار رفتم.", "آیا آنجا بودی؟", "قیمت ۳٫۵ بود."]),
    "Hebrew": (
        "he",
        " ",
        ["אתמול הלכתי לשוק.", "האם אתה מכיר את המקום?", 'הוא אמר: "בוא הביתה."', "צה״ל הודיע על כך."],
    ),
    "Hindi": ("hi", " ", ["मैं कल बाज़ार गया था।", "क्या आप वहाँ थे?", "कीमत 3.5 रुपये थी।", "“चलो घर चलें।”", "फिर वह गया।"]),
    "Greek": ("el", " ", ["Πήγα χθες στην αγορά.", "Ξέρεις το μέρος;", "Ναι!", "Η τιμή ήταν 3,5 ευρώ."]),
    "Armenian": ("hy", " ", ["Երեկ գնացի շուկա։", "Եղանակը լավ էր։"]),
    "Khmer": ("km", " ", ["ខ្ញុំបានទៅផ្សារម្សិលមិញ។", "អាកាសធាតុល្អណាស់។"]),
    "Burmese": ("my", " ", ["မနေ့က ဈေးသွားတယ်။", "ရာသီဥတု ကောင်းတယ်။"]),
    "Amharic": ("am", " ", ["ትናንት ወደ ገበያ ሄድኩ።", "ጥሩ ነበር።"]),
    "Korean": ("ko", " ", ["어제 시장에 갔다.", "값은 3.5원이었다.", "정말요?", "네!"]),
    "Thai": (
        "th",
        " ",
        [
            "เมื่อวานนี้ผมไปเดินเล่นที่ตลาดริมน้ำกับเพื่อนสองคน อากาศดีมากและมีลมพัดเบา ๆ ตลอดทั้งวัน",
            "เราซื้อผลไม้ 3 กิโลกรัมในราคา 120 บาท แล้วก็นั่งกินก๋วยเตี๋ยวที่ร้านเก่าแก่ซึ่งเปิดมานานกว่าสี่สิบปี",
            "อย่างไรก็ตามคนเยอะมากจนต้องรอนานเกือบครึ่งชั่วโมง",
            "หลังจากนั้นเราจึงเดินกลับบ้านกันครับ",
            "วันรุ่งขึ้นฝนตกหนักมาก",
        ],
    ),
}


def pieces(text: str, language: str) -> list[str]:
    return [text[start:end].strip() for start, end in rule_ranges(text, language)]


@pytest.mark.parametrize("name", CASES)
def test_sentences(name: str) -> None:
    language, joiner, expected = CASES[name]
    assert pieces(joiner.join(expected), language) == expected


@pytest.mark.parametrize(
    ("language", "clause", "longest"),
    [
        ("th", "ตลาดน้ำแห่งนี้เปิดทุกวันตั้งแต่เช้า ", 160),
        ("lo", "ຕະຫຼາດແຫ່ງນີ້ເປີດທຸກມື້ ", 160),
        ("zh", "我们走过了一条很长的街道，", 215),
        ("zh", "我们走过了一条很长的街道 ", 215),
        ("ja", "私たちはとても長い通りを歩いて、", 220),
        ("ar", "وصلنا إلى المدينة القديمة في الصباح الباكر، ", 350),
        ("ur", "ہم صبح سویرے پرانے شہر پہنچے، ", 350),
        ("km", "ខ្ញុំបានទៅផ្សារម្សិលមិញ ", 280),
        ("my", "မနေ့က ဈေးသွားတယ် ", 280),
    ],
)
def test_a_page_without_stops_is_not_one_sentence(language: str, clause: str, longest: int) -> None:
    found = pieces(clause * 100, language)
    assert len(found) > 5
    assert max(map(len, found)) <= longest
    assert "".join("".join(found).split()) == "".join((clause * 100).split())


def test_a_number_or_a_foreign_word_stays_with_its_clause_in_thai() -> None:
    long, short = "ก" * 81, "ข" * 30
    assert pieces(f"{long} 3 {short} {long} Python {short} {long} ๆ {short} {long}", "th") == [
        f"{long} 3 {short}",
        f"{long} Python {short}",
        f"{long} ๆ",
        f"{short} {long}",
    ]


def test_a_stretch_of_thai_without_a_space_stays_whole() -> None:
    assert pieces("ตลาดน้ำ" * 500, "th") == ["ตลาดน้ำ" * 500]


def test_a_quotation_that_is_long_or_never_ends_does_not_hold_a_page_together() -> None:
    assert len(pieces("「" + "雨が降った。" * 100 + "」", "ja")) == 100
    assert len(pieces("「" + "雨が降った。" * 100, "ja")) == 100


@pytest.mark.parametrize(
    "text", ["「" * 200_000, "“。" * 100_000, "、" * 300_000, "ก " * 150_000, "，我" * 150_000, "1. " * 100_000]
)
def test_odd_pages_take_linear_time(text: str) -> None:
    assert "".join(text[start:end] for start, end in rule_ranges(text, "zh")) == text


@given(
    st.text("「」“”（）。，、؟،۔ ก้ครับ的说と。a.B \n", max_size=300),
    st.sampled_from(["ja", "zh", "th", "ar", "el", "und"]),
)
def test_ranges_tile_the_text(text: str, language: str) -> None:
    ranges = rule_ranges(text, language)
    assert "".join(text[start:end] for start, end in ranges) == text
    assert all(start < end for start, end in ranges)
